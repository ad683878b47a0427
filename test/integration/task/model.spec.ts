import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RedisServer } from '../../kit/redis-server.js';
import { type Edit, withEditedScripts } from '../../kit/script-mutation.js';
import { type Step, steps, TaskDuel } from '../../kit/task-duel.js';
import { TaskStores } from '../../kit/task-stores.js';

/** Lives per run of this file; `MODEL_RUNS=2000 npm test -- model.spec` is the long one. */
const RUNS = Number(process.env.MODEL_RUNS ?? 100);
/** A fault that is not found in this many lives is one that the model test would miss. */
const FEW = 300;

const MUTATIONS: readonly (readonly [string, Edit])[] = [
  ['a run writes although another one began', ["if t.fence ~= fence or t.nonce ~= nonce then return 'FENCED' end", '']],
  [
    'a run writes with the nonce of another',
    ["or t.nonce ~= nonce then return 'FENCED' end", "then return 'FENCED' end"],
  ],
  ['a finished task is claimed', ["if not is_one_of(t.state, ARGV[6]) then return { 'TERMINAL' } end", '']],
  ['a finished task is canceled', ["if not is_one_of(t.state, ARGV[4]) then return { 'TERMINAL', t.state } end", '']],
  ['a finished task is resumed', ["if not is_one_of(t.state, ARGV[8]) then return { 'TERMINAL', t.state } end", '']],
  ['an end leaves the fence as it was', [", 'fence', t.fence + 1)\n  redis.call('DEL'", ")\n  redis.call('DEL'"]],
  ['a run is claimed twice', ["if t.nonce ~= '' and not again then return { 'STALE' } end", '']],
  [
    'nobody sweeps',
    [
      'local t, id, now = read_task(KEYS[1], ARGV[1]), ARGV[1], now_ms()',
      "do return { 'LATER' } end\nlocal t, id, now = read_task(KEYS[1], ARGV[1]), ARGV[1], now_ms()",
    ],
  ],
  [
    'an answer does not ask for its run',
    ['local fence = vacate(t, KEYS[2], now, now + ARGV[14])', 'local fence = tonumber(t.fence)'],
  ],
  ['what has ended is purged before its time', ["{ is_due and 'PURGE' or 'LATER' }", "{ 'PURGE' }"]],
  ['a question is given up before its time', ["is_due and { 'UNANSWERED'", "true and { 'UNANSWERED'"]],
  ['two answers begin two turns', ['if not waits then\n', 'if false then\n']],
  [
    'a repeated commit counts again',
    ["if tonumber(t.seq) > tonumber(ARGV[7]) then return { 'OK', tonumber(t.seq) } end", ''],
  ],
  ['a commit overtakes a cancel', ["if t.cancel ~= '' then return { 'CANCEL' } end", '']],
  [
    'a run that was replaced writes its journal',
    [
      "if why then return why end\nredis.call('HSET', KEYS[2], ARGV[4], ARGV[5])",
      "redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])",
    ],
  ],
  [
    'retention takes a task that is open',
    ["if ARGV[2] ~= '*' and not is_one_of(t.state, ARGV[2]) then return 0 end", ''],
  ],
  ['attempts are not counted', ["put(t, 'attempts', t.attempts + 1)", '']],
  ['a task is settled that has moved', ['t.fence ~= ARGV[2] or not is_one_of', 'not is_one_of']],
  [
    'a finished task is settled',
    ["or t.fence ~= ARGV[2] or not is_one_of(t.state, ARGV[4]) then return { 'MOVED' }", "then return { 'MOVED' }"],
  ],
  ['a waiting task is claimed', ["if is_one_of(t.state, ARGV[7]) then return { 'STALE' } end", '']],
  ['the list forgets to follow', ['if before.state then unindex(t, before.state, before.ms) end', '']],
];

describe('the scripts and a model of them', () => {
  let server: RedisServer;
  let stores: TaskStores;
  beforeAll(async () => {
    server = await RedisServer.start({ config: { appendonly: 'no' } });
    stores = TaskStores.connect(server.url);
  });
  afterAll(async () => {
    stores.redis.disconnect();
    await server.stop();
  });

  it(
    `agree on ${RUNS} random lives`,
    async () => {
      await fc.assert(
        lives(() => new TaskStores(stores.redis)),
        { numRuns: RUNS },
      );
    },
    30_000 + RUNS * 200,
  );

  it.each(MUTATIONS)(
    'differ within a few lives when %s',
    async (_name, edit) => {
      const mutant = withEditedScripts(stores.redis, edit);
      const result = await fc.check(
        lives(() => new TaskStores(mutant.redis)),
        { numRuns: FEW, endOnFailure: true },
      );

      expect(mutant.edits()).toBeGreaterThan(0);
      expect(String(result.errorInstance)).toMatch(/the scripts say .* the model/);
    },
    60_000,
  );
});

function lives(fresh: () => TaskStores): fc.IAsyncPropertyWithHooks<[readonly Step[]]> {
  return fc.asyncProperty(steps, (life) => new TaskDuel(fresh()).play(life));
}
