import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RedisServer } from '../../../kit/redis/redis-server.js';
import { type Edit, withEditedScripts } from '../../../kit/lua/script-mutation.js';
import { lives } from '../../../kit/tasks/task-duel.js';
import { TaskStores } from '../../../kit/tasks/task-stores.js';

/** A fault that is not found in this many lives is one that the model test would miss. */
const FEW = 2_000;

const MUTATIONS: readonly (readonly [string, Edit])[] = [
  [
    'a run writes although another one began',
    ["return was_made and { 'OK', now_ms(), 0, 0, f[4] and 1 } or { 'LOST' }", ''],
  ],
  ['a repeated commit counts as lost', ['return was_made and', 'return false and']],
  [
    'a run gives back what it has lost',
    ["if t.fence ~= tonumber(fence) or t.nonce ~= nonce then return 'FENCED' end", ''],
  ],
  ['a finished task is claimed', ["if not is_one_of(t.state, open_states) then return { 'TERMINAL' } end", '']],
  [
    'a finished task is canceled',
    ["if not is_one_of(t.state, from_states) then return { 'TERMINAL', t.state } end", ''],
  ],
  [
    'a finished task is resumed',
    ["if not is_one_of(t.state, open_states) then return { 'TERMINAL', t.state } end", ''],
  ],
  [
    'an end leaves the fence as it was',
    ['  vacate(t)\n  t.state, t.seq, t.last = state', '  t.state, t.seq, t.last = state'],
  ],
  ['a run is claimed twice', ["(t.nonce ~= '-' and not again) or", '']],
  [
    'a waiting task is claimed',
    ["local wants_none = is_one_of(t.state, waiting_states) and t.is_shown == ''", 'local wants_none = false'],
  ],
  ['a canceled run is begun', ["or t.cancel ~= '' then return { 'STALE' } end", "then return { 'STALE' } end"]],
  [
    'nobody sweeps',
    [
      'local t, now = read_task(task_key, id), now_ms()\nif not t or not is_one_of(t.state, open_states)',
      "do return { 'LATER' } end\nlocal t, now = read_task(task_key, id), now_ms()\nif not t",
    ],
  ],
  ['an answer does not ask for its run', ['vacate(t)\nt.turn', 't.turn']],
  [
    'a question is given up before its time',
    ["> now then return { 'LATER' } end\n-- Its wait", '> now then end\n-- Its wait'],
  ],
  ['two answers begin two turns', ['if not waits then\n', 'if false then\n']],
  ['a turn ends the task although messages wait', ["then return { 'LATE' } end", 'then end']],
  ['a commit overtakes a cancel', ["if requests[1] then return { 'CANCEL' } end", '']],
  [
    'a run that was replaced writes its journal',
    ['if why then return { why } end\n-- How many bytes', '-- How many bytes'],
  ],
  ['a step is no progress', ['> 0 and t.attempt > 0 then', '> 0 and false then']],
  [
    'retention takes a task that is open',
    ["if states ~= '*' and not is_one_of(t.state, states) then return 0 end", ''],
  ],
  ['attempts are not counted', ['t.nonce, t.attempt = nonce, t.attempt + 1', 't.nonce = nonce']],
  [
    'a task is settled that has moved',
    ['t.fence ~= tonumber(fence) or not is_one_of(t.state, from_states)', 'not is_one_of(t.state, from_states)'],
  ],
  ['the list forgets to follow', ["redis.call('ZREM', open_key, entry_before)", '']],
  ['an ended task stays in the list of open ones', ["redis.call('ZREM', open_key, entry)", '']],
  ['an ended task is in no list', ["redis.call('ZADD', ended_key, 0, entry)", '']],
  [
    'a run that was replaced parks its task',
    ["if f[1] ~= seen_word then return { 'LOST' } end\nlocal requests", 'local requests'],
  ],
  ['a repeated park counts as lost', ["if f[1] == word then return { 'OK', now_ms(), f[2] and 1 } end", '']],
  ['a park overtakes a cancel', ["if requests[2] then return { 'CANCEL' } end\nlocal function", 'local function']],
  ['a park does not see the message that it waits for', ["then\n  return { 'AGAIN' }\nend", 'then end']],
  [
    'a parked task is claimed',
    ["(t.nonce ~= '-' and not again) or", "(t.nonce ~= '-' and t.nonce ~= '~' and not again) or"],
  ],
  [
    'a wake leaves the fence as it was',
    ['local function wake(t, now, ended)\n  vacate(t)\n', "local function wake(t, now, ended)\n  t.nonce = '-'\n"],
  ],
  ['a wake joins no queue', ["return join_queue(t.limited == '1'", "return 0, nil and join_queue(t.limited == '1'"]],
  [
    'a woken task stays among the parked',
    ["  redis.call('ZREM', parked_key, t.id)\n  redis.call('ZADD', due_key, now", "  redis.call('ZADD', due_key, now"],
  ],
  [
    'an ended task stays among the parked',
    [
      "  redis.call('ZREM', due_key, t.id)\n  redis.call('ZREM', parked_key, t.id)\n",
      "  redis.call('ZREM', due_key, t.id)\n",
    ],
  ],
  ['a message does not wake the task that waits for it', ['if is_parked(t) and is_awaited then', 'if false then']],
  ['a message wakes a task that waits for none', ['if is_parked(t) and is_awaited then', 'if is_parked(t) then']],
  ['a repeated turn takes messages that came later', ['  if not repeats then\n', '  if true then\n']],
  [
    'a cancel waits for a parked task',
    ["if t.nonce ~= '-' and not is_parked(t) and due > now then", "if t.nonce ~= '-' and due > now then"],
  ],
  ['the sweep takes a parked task for a lost run', ["if is_parked(t) then return { 'LATER' } end", '']],
  [
    'a run leaves its queue only by and by',
    [
      "  if not position then return end\n  redis.call('ZREM', queue_key, member)\n",
      '  if not position then return end\n',
    ],
  ],
];

describe('the scripts with a fault, and a model of them', () => {
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
