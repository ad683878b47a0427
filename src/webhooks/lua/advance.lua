-- Moves a cursor past events that were delivered, dead-lettered or filtered out, and returns the next ones; releases
-- the cursor if there are none. Both in one step, so that no event is missed in between.
-- Input
--   task_key
--   push_key
--   outbox_key
--   dead_key        dead letters
--   dead_times_key  their times
--   attempts_key    last attempts
--   bytes_key       stored bytes
--   id              task id
--   hook            config id
--   token           token of the caller
--   next_event
--   lease_ms        lease, ms
--   max_events      most events
--   ahead_ms        ms to add to the server's clock
--   line            line of the attempt, or ''
--   dead_name       dead letter's name, or ''
--   dead_letter
--   nonce           nonce of the last event that is passed, '' when the log does not have it
--   refused         events refused in a row
--   max_bytes       most bytes of the events
-- Output
--   {'LOST' | 'IDLE'} | {'WORK', {seq, nonce, event, bytes where it is large: nonce and event are '' then} …}
-- @include ../../tasks/lua/lib/run/now.lua
-- @include ../../tasks/lua/lib/hooks/hooked.lua
-- @include lib/cursor.lua
-- @include lib/bury.lua
local now = now_ms() + ahead_ms
local t = read_hooked(task_key)
if not t then return { 'LOST' } end
note_attempt(task_key, bytes_key, attempts_key, line)
if not holds(push_key, hook, token) then return { 'LOST' } end
if nonce ~= '' and was_taken_back(task_key, t.seq, next_event - 1, nonce) then
  release(push_key, hook)
  redis.call('ZADD', outbox_key, now, id .. ' ' .. hook)
  return { 'LOST' }
end
if dead_name ~= '' then
  bury({ push_key = push_key, hook = hook, dead_key = dead_key, dead_times_key = dead_times_key }, now,
    dead_name, dead_letter)
end

set(push_key, hook, 'next', next_event)
forget(push_key, hook, 'tries', 'since', 'after', 'body', 'span', 'refused')
if refused ~= '0' then set(push_key, hook, 'refused', refused) end
count_hook(task_key, push_key, hook, bytes_key)
local member = id .. ' ' .. hook
if tonumber(next_event) > t.seq then
  release(push_key, hook)
  redis.call('ZREM', outbox_key, member)
  return { 'IDLE' }
end
set(push_key, hook, 'until', now + lease_ms)
redis.call('ZADD', outbox_key, now + lease_ms, member)
return { 'WORK', unpack(read_events(task_key, t.seq, next_event, max_events, max_bytes)) }
