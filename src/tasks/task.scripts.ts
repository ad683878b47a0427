import { scriptsIn } from '../platform/redis/script/redis-script.js';
import { FIELD } from './task-fields.js';

const script = scriptsIn(new URL('lua/', import.meta.url), FIELD);

const queues = 'queue limitedQueue turns';
/**
 * An owner's open tasks by state, and those of the context (lua/lib/record/relist.lua); the index of tasks by state and
 * time.
 */
const openByState = 'working inputRequired authRequired contextWorking contextInputRequired contextAuthRequired';
const byState = `${openByState} tenantTasks` as const;
const accounts = 'tenantAccount clientAccount';
const journalLimits = 'maxJournalBytes maxJournalEntries';
const dispatchers = 'hints shard';
const newHook = `hook record ${dispatchers}` as const;

const ending = {
  keys: `task due ${queues} counts history states outbox over open ended openOfContext endedOfContext ofState parked cascade
    ofStateInContext ${byState}`,
  args: `id nonce fromStates state event ms message keptMs ttl ${dispatchers} stuckMs elsewhere waitingStates`,
  groups: { child: { keys: 'parent parentNotes children held', args: 'note' } },
} as const;

const write = {
  args: 'id seenWord word nonce',
  moved: { keys: openByState },
  parent: { keys: 'parent parentNotes', args: 'note' },
  argLists: { removed: '', fields: '', entries: '', changes: 'how list value' },
} as const;

/** All changes of a task; nothing else writes task state. */
export const TASK_SCRIPTS = {
  begin: script('store/begin', {
    keys: 'sent task due ownQueue turns counts open tenantTasks',
    args: `id requestHash markTtl nonce claimedWord waitingWord leaseMs stuckMs ttl entry member tenant elsewhere count reply
      score`,
    argLists: { fields: '' },
    groups: {
      more: { keys: 'openOfContext bytes push outbox', args: `isNamed size ${accounts} ${newHook}` },
    },
  }),
  reject: script('store/reject', {
    keys: `sent task over counts ended endedOfContext ofState ofStateInContext tenantTasks bytes push outbox`,
    args: `id requestHash markTtl nonce word keptMs ttl entry isNamed count size ${accounts} ${newHook}`,
    argLists: { fields: '' },
  }),
  read: script('lists/read', {
    keys: 'task history',
    keyLists: { artifacts: '' },
    args: 'owner maxMessages withArtifacts names maxBytes watchMs',
  }),
  begun: script('store/begun', {
    keys: 'task questions messages sent',
    args: 'owner messageId isOfContent waitingStates',
  }),
  owned: script('lists/owned', { keys: 'task', args: 'owner tenant', argLists: { fields: '' } }),
  log: script('lists/log', { keys: 'task', args: 'first maxEvents maxBytes step' }),
  latest: script('lists/latest', { keyLists: { tasks: '' }, args: 'watchMs' }),
  listEntries: script('lists/list-entries', { keyLists: { sets: '' }, args: 'newest oldest maxEntries' }),
  records: script('lists/records', {
    keyLists: { tasks: '', histories: '' },
    args: 'maxMessages withArtifacts maxBytes',
  }),
  resume: script('store/resume', {
    keys: `task due ${queues} counts history states outbox open openOfContext messages bytes push senders parked questions asking
      ${byState}`,
    keyLists: { answered: 'answering answeringJournal' },
    args: `id owner context messageId requestHash message nonce openStates waitingStates state event ms stuckMs ttl elsewhere
      ${dispatchers} maxMessages maxBytes ${accounts} modes metadata hook record maxHooks digest sender signal judged
      statusMessage ${journalLimits}`,
    argLists: { answers: 'id seen left how ...entries', fields: '' },
    groups: { holder: { keys: 'holder holderHistory holderSenders', args: 'holderId holderMessage' } },
  }),
  cancel: script('store/cancel', { ...ending, args: `${ending.args} owner graceMs` }),
  settle: script('store/settle', { ...ending, args: `${ending.args} fence` }),
  showQuestions: script('questions/show-questions', {
    keys: `task counts history states outbox open openOfContext asking bytes ${byState}`,
    args: `id seenWord state event ms message nonce ttl ${dispatchers} ${accounts} isShown`,
  }),
  withdraw: script('questions/withdraw', { keys: 'task questions asking', args: 'id seen left' }),
  heads: script('store/heads', { keyLists: { queues: '', limitedQueues: '' }, args: 'maxRuns skills maxLimited' }),
  claim: script('commit/claim', {
    keys: `task due ${queues} history journal`,
    args: 'id fence nonce worker leaseMs openStates waitingStates maxEarlier isAlone',
    argLists: { fields: '' },
  }),
  commit: script('commit/commit', {
    keys: 'task due over counts outbox open ended tenantTasks',
    keyLists: { lists: '' },
    args: `${write.args} sequel eventField dueIn readLate entryBefore entry countBefore countAfter ${dispatchers}`,
    argLists: write.argLists,
    groups: {
      more: {
        keys: 'openOfContext endedOfContext ofState ofStateInContext bytes',
        args: `isNamed isListed size ${accounts}`,
      },
      general: { keys: 'journal ownQueue turns', args: `ttl ${journalLimits} member tenant` },
      moved: write.moved,
      asked: { keys: 'questions asking' },
      cascade: { keys: 'cascade' },
      parent: write.parent,
      endedChild: { keys: 'children held parked queue limitedQueue', args: 'stuckMs elsewhere' },
    },
  }),
  heartbeat: script('commit/heartbeat', {
    keys: 'due',
    keyLists: { tasks: '' },
    args: 'leaseMs graceMs',
    argLists: { claims: 'id holder' },
  }),
  park: script('commit/park', {
    keys: 'task due counts outbox bytes open openOfContext journal tenantTasks parked notes questions asking',
    keyLists: { lists: '', parts: '' },
    args: `${write.args} entryBefore entry isNamed ttl countBefore countAfter ${dispatchers} size ${accounts} ${journalLimits}
      till knownLate knownSettled knownAnswered knownHints root`,
    argLists: write.argLists,
    groups: { moved: write.moved, parent: write.parent },
  }),
  wake: script('tree/wake', {
    keys: `due parked ${queues}`,
    keyLists: { tasks: '' },
    args: 'stuckMs elsewhere',
    argLists: { ids: '' },
  }),
  spawn: script('tree/spawn', {
    keys: `task journal children held tree due ${queues} counts bytes open treeTasks trees`,
    keyLists: { childTasks: '' },
    args: `fence nonce openStates ttl ${journalLimits} ${accounts} replay stuckMs leaseMs childTtl tenant elsewhere maxChildren maxTasks
      maxDepth maxTransfers depth`,
    argLists: {
      entries: '',
      groups: 'name text',
      newChildren: 'id group word claimedWord entry member count bytes kind ...fields',
    },
  }),
  setFields: script('commit/set-fields', {
    keys: 'task hash journal bytes',
    args: `fence nonce openStates ttl ${journalLimits} ${accounts} name value`,
    argLists: { entries: '' },
  }),
  prefill: script('commit/prefill', { keys: 'journal', args: 'ttl', argLists: { entries: '' } }),
  release: script('commit/release', {
    keys: 'task due queue parked',
    args: 'id fence nonce openStates delayMs stuckMs isCounted',
  }),
  evaluate: script('store/evaluate', {
    keys: 'task due queue limitedQueue',
    args: 'id openStates waitingStates maxAttempts stuckMs extraLosses lives',
  }),
  purge: script('store/purge', {
    keys: `task due ${queues} counts over outbox bytes sent push dead deadTimes parked open ended openOfContext endedOfContext ofState ofStateInContext
      ${byState}`,
    keyLists: { parts: '' },
    args: 'id states seenState seenNames',
  }),
  reserve: script('tree/reserve', {
    keys: 'tree spent',
    args: `id wanted least price maxTokens maxMicros maxCalls day tenantTokens tenantMicros treeTtl spentTtl`,
  }),
  settleUse: script('tree/settle-use', {
    keys: 'tree spent task root',
    args: 'id tokens micros day inputTokens outputTokens',
  }),
  remember: script('values/remember', {
    keys: 'context contexts bytes',
    args: `context keepMs ttl maxBytes maxValues ${accounts} name value keepsValue`,
  }),
  forget: script('values/forget', { keys: 'context contexts bytes', args: 'context isForced' }),
  mirror: script('tree/mirror', { keys: 'task', args: 'id mark openStates' }),
  hint: script('tree/hint', {
    keys: `task due parked ${queues}`,
    args: 'id openStates hintSignal digest stuckMs elsewhere',
  }),
  subscribe: script('publications/subscribe', { keys: 'webhooks log push', args: 'id wanted hook record maxHooks' }),
  unsubscribe: script('publications/unsubscribe', {
    keys: 'webhooks log push attempts outbox dead deadTimes',
    args: 'id hook',
  }),
  announce: script('publications/announce', {
    keys: 'log push outbox',
    args: `id hook nonce event maxEvents maxBytes ${dispatchers}`,
  }),
} as const;
