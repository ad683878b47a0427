import type { Edit } from '../../../kit/lua/script-mutation.js';
import type { Step } from '../../../kit/tasks/task-duel.js';

/** A fault of the scripts, and a life of one task that shows it. */
export type Fault = readonly [name: string, life: readonly Step[], edit: Edit];

const create: Step = { do: 'create', message: 0, body: 'h1' };
const claim: Step = { do: 'claim', task: 0, behind: 0 };
const work: Step = { do: 'commit', run: 0, batch: 0, again: false };
/** So many calls are not over within the millisecond by which lists are sorted. */
const severalMs = Array.from({ length: 30 }, () => work);
const write: Step = { ...work, batch: 2 };
const writeAgain: Step = { ...write, again: true };
const ask: Step = { ...work, batch: 5 };
const complete: Step = { ...work, batch: 6 };
/** The newest run is the first. */
const replacedWrites: Step = { ...write, run: 1 };
const park: Step = { do: 'park', run: 0, batch: 0, isListening: false, isProgress: false, again: false };
const parkAgain: Step = { ...park, again: true };
const listen: Step = { ...park, isListening: true };
const release: Step = { do: 'release', run: 0, how: 'broken', isDelayed: false };
const note: Step = { do: 'note', run: 0 };
const wake: Step = { do: 'wake' };
const cancel: Step = { do: 'cancel', task: 0, isOwner: true };
const resume: Step = { do: 'resume', task: 0, message: 0, body: 'h1' };
const evaluate: Step = { do: 'evaluate', task: 0 };
const leaseOver: Step = { do: 'lease-over', task: 0 };
const waitOver: Step = { do: 'wait-over', task: 0 };
const purge: Step = { do: 'purge', task: 0 };
const settle: Step = { do: 'settle', verdict: 0 };

export const FAULTS: readonly Fault[] = [
  [
    'a run writes although another one began',
    [create, claim, release, claim, replacedWrites],
    ["return was_made and { 'OK', now_ms(), 0, 0, f[4] and 1 } or { 'LOST' }", ''],
  ],
  ['a repeated commit counts as lost', [create, claim, write, writeAgain], ['return was_made and', 'return false and']],
  [
    'a run gives back what it has lost',
    [create, claim, release, release],
    ["if t.fence ~= tonumber(fence) or t.nonce ~= nonce then return 'FENCED' end", ''],
  ],
  [
    'a finished task is claimed',
    [create, claim, complete, claim],
    ["if not is_one_of(t.state, open_states) then return { 'TERMINAL' } end", ''],
  ],
  [
    'a finished task is canceled',
    [create, cancel, cancel],
    ["if not is_one_of(t.state, from_states) then return { 'TERMINAL', t.state } end", ''],
  ],
  [
    'a finished task is resumed',
    [create, cancel, resume],
    ["if not is_one_of(t.state, open_states) then return { 'TERMINAL', t.state } end", ''],
  ],
  [
    'an end leaves the fence as it was',
    [create, cancel],
    ['  vacate(t)\n  t.state, t.seq, t.last = state', '  t.state, t.seq, t.last = state'],
  ],
  ['a run is claimed twice', [create, claim, claim], ["(t.nonce ~= '-' and not again) or", '']],
  [
    'a waiting task is claimed',
    [create, claim, ask, claim],
    ["local wants_none = is_one_of(t.state, waiting_states) and t.is_shown == ''", 'local wants_none = false'],
  ],
  [
    'a canceled run is begun',
    [create, claim, cancel, release, claim],
    ["or t.cancel ~= '' then return { 'STALE' } end", "then return { 'STALE' } end"],
  ],
  [
    'nobody sweeps',
    [create, claim, leaseOver, evaluate],
    [
      'local t, now = read_task(task_key, id), now_ms()\nif not t or not is_one_of(t.state, open_states)',
      "do return { 'LATER' } end\nlocal t, now = read_task(task_key, id), now_ms()\nif not t",
    ],
  ],
  ['an answer does not ask for its run', [create, claim, ask, resume], ['vacate(t)\nt.turn', 't.turn']],
  [
    'a question is given up before its time',
    [create, claim, ask, evaluate],
    ["> now then return { 'LATER' } end\nif is_parked", '> now then end\nif is_parked'],
  ],
  ['two answers begin two turns', [create, resume], ['if not waits then\n', 'if false then\n']],
  [
    'a turn ends the task although messages wait',
    [create, claim, resume, complete],
    ["then return { 'LATE' } end", 'then end'],
  ],
  ['a commit overtakes a cancel', [create, claim, cancel, write], ["if requests[1] then return { 'CANCEL' } end", '']],
  [
    'a run that was replaced writes its journal',
    [create, claim, release, note],
    ['if why then return { why } end\nlocal more', 'local more'],
  ],
  ['a step is no progress', [create, claim, note], ['> 0 and t.attempt > 0 then', '> 0 and false then']],
  [
    'retention takes a task that is open',
    [create, purge],
    ["if states ~= '*' and not is_one_of(t.state, states) then return 0 end", ''],
  ],
  ['attempts are not counted', [create, claim], ['t.nonce, t.attempt = nonce, t.attempt + 1', 't.nonce = nonce']],
  [
    'a task is settled that has moved',
    [create, claim, cancel, leaseOver, evaluate, release, settle],
    ['t.fence ~= tonumber(fence) or not is_one_of(t.state, from_states)', 'not is_one_of(t.state, from_states)'],
  ],
  ['the list forgets to follow', [create, claim, ...severalMs], ["redis.call('ZREM', open_key, entry_before)", '']],
  ['an ended task stays in the list of open ones', [create, cancel], ["redis.call('ZREM', open_key, entry)", '']],
  ['an ended task is in no list', [create, cancel], ["redis.call('ZADD', ended_key, 0, entry)", '']],
  [
    'a run that was replaced parks its task',
    [create, claim, leaseOver, evaluate, park],
    ["if f[1] ~= seen_word then return { 'LOST' } end\nlocal requests", 'local requests'],
  ],
  [
    'a repeated park counts as lost',
    [create, claim, park, parkAgain],
    ["if f[1] == word then return { 'OK', now_ms(), f[2] and 1 } end", ''],
  ],
  [
    'a park overtakes a cancel',
    [create, claim, cancel, park],
    ["if requests[2] then return { 'CANCEL' } end\nlocal function", 'local function'],
  ],
  [
    'a park does not see the message that it waits for',
    [create, claim, resume, listen],
    ["then\n  return { 'AGAIN' }\nend", 'then end'],
  ],
  [
    'a parked task is claimed',
    [create, claim, park, claim],
    ["(t.nonce ~= '-' and not again) or", "(t.nonce ~= '-' and t.nonce ~= '~' and not again) or"],
  ],
  [
    'a wake leaves the fence as it was',
    [create, claim, park, waitOver, wake],
    ['local function wake(t, now, ended)\n  vacate(t)\n', "local function wake(t, now, ended)\n  t.nonce = '-'\n"],
  ],
  [
    'a wake joins no queue',
    [create, claim, park, waitOver, wake],
    ["return join_queue(t.limited == '1'", "return 0, nil and join_queue(t.limited == '1'"],
  ],
  [
    'a woken task stays among the parked',
    [create, claim, park],
    ["  redis.call('ZREM', parked_key, t.id)\n  redis.call('ZADD', due_key, now", "  redis.call('ZADD', due_key, now"],
  ],
  [
    'an ended task stays among the parked',
    [create, claim, park, cancel],
    [
      "  redis.call('ZREM', due_key, t.id)\n  redis.call('ZREM', parked_key, t.id)\n",
      "  redis.call('ZREM', due_key, t.id)\n",
    ],
  ],
  [
    'a message does not wake the task that waits for it',
    [create, claim, listen, resume],
    ['if is_parked(t) and is_awaited then', 'if false then'],
  ],
  [
    'a message wakes a task that waits for none',
    [create, claim, park, resume],
    ['if is_parked(t) and is_awaited then', 'if is_parked(t) then'],
  ],
  [
    'a repeated turn takes messages that came later',
    [create, claim, park, resume, waitOver, wake, claim],
    ['  if not repeats then\n', '  if true then\n'],
  ],
  [
    'a cancel waits for a parked task',
    [create, claim, park, cancel],
    ["if t.nonce ~= '-' and not is_parked(t) and due > now then", "if t.nonce ~= '-' and due > now then"],
  ],
  [
    'the sweep takes a parked task for a lost run',
    [create, claim, park, waitOver, evaluate],
    ["if is_parked(t) then return { 'LATER' } end", ''],
  ],
  [
    'a run leaves its queue only by and by',
    [create, claim],
    [
      "  if not position then return end\n  redis.call('ZREM', queue_key, member)\n",
      '  if not position then return end\n',
    ],
  ],
];
