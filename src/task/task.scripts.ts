import { PositionalScript } from '../platform/redis/script/positional-script.js';

function script(name: string): PositionalScript {
  return new PositionalScript(new URL(`lua/${name}.lua`, import.meta.url));
}

/** Every change of a task is one of these, and nothing else writes task state. */
export const TASK_SCRIPTS = {
  begin: script('begin'),
  reject: script('reject'),
  read: script('read'),
  readPart: script('read-part'),
  begun: script('begun'),
  log: script('log'),
  latest: script('latest'),
  listEntries: script('list-entries'),
  records: script('records'),
  resume: script('resume'),
  cancel: script('cancel'),
  showQuestions: script('show-questions'),
  withdraw: script('withdraw'),
  heads: script('heads'),
  claim: script('claim'),
  conclude: script('conclude'),
  commit: script('commit'),
  heartbeat: script('heartbeat'),
  park: script('park'),
  wake: script('wake'),
  spawn: script('spawn'),
  setFields: script('set-fields'),
  prefill: script('prefill'),
  release: script('release'),
  evaluate: script('evaluate'),
  settle: script('settle'),
  purge: script('purge'),
  reserve: script('reserve'),
  settleUse: script('settle-use'),
  remember: script('remember'),
  forget: script('forget'),
  mirror: script('mirror'),
  hint: script('hint'),
  subscribe: script('subscribe'),
  unsubscribe: script('unsubscribe'),
  announce: script('announce'),
} as const;
