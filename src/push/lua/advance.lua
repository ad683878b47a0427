-- Moves a cursor past events that were delivered, dead-lettered or filtered out, and returns the next ones; releases the
-- cursor if there are none. Both in one step, so that no event is missed in between.
-- KEYS  1 task
--       2 push
--       3 outbox
--       4 dead letters
--       5 their times
--       6 last attempts
-- ARGV  1 task id
--       2 config id
--       3 token of the caller
--       4 next event
--       5 lease, ms
--       6 most events
--       7 ms to add to the server's clock
--       8 line of the attempt, or ''
--       9 dead letter's name, or ''
--       10 dead letter
--       11 nonce of the last event that is passed, '' when the log does not have it
--       12 events refused in a row
--       13 most bytes of the events
-- Returns {'LOST' | 'IDLE'} | {'WORK', {seq, nonce, event, bytes where it is too large to come along} …}
-- @include ../../task/lua/lib/now.lua
-- @include ../../task/lua/lib/hooked.lua
-- @include lib/cursor.lua
-- @include lib/bury.lua
local task, push, hook, now = KEYS[1], KEYS[2], ARGV[2], now_ms() + ARGV[7]
local t = read_hooked(task)
if not t then return { 'LOST' } end
note_attempt(KEYS[6], ARGV[8])
if not holds(push, hook, ARGV[3]) then return { 'LOST' } end
if ARGV[11] ~= '' and was_taken_back(task, t.seq, ARGV[4] - 1, ARGV[11]) then
  release(push, hook)
  redis.call('ZADD', KEYS[3], now, ARGV[1] .. ' ' .. hook)
  return { 'LOST' }
end
if ARGV[9] ~= '' then bury(KEYS[4], KEYS[5], now, ARGV[9], ARGV[10]) end

set(push, hook, 'next', ARGV[4])
forget(push, hook, 'tries', 'since', 'after', 'body', 'span', 'refused')
if ARGV[12] ~= '0' then set(push, hook, 'refused', ARGV[12]) end
local member = ARGV[1] .. ' ' .. hook
if tonumber(ARGV[4]) > t.seq then
  release(push, hook)
  redis.call('ZREM', KEYS[3], member)
  return { 'IDLE' }
end
set(push, hook, 'until', now + ARGV[5])
redis.call('ZADD', KEYS[3], now + ARGV[5], member)
return { 'WORK', unpack(read_events(task, t.seq, ARGV[4], ARGV[6], ARGV[13])) }
