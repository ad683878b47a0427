-- Deletes a task with all its keys and entries.
-- KEYS  1 task
--       2 due
--       3 fair queue
--       4 fair queue of skills with a limit
--       5 positions of the queue
--       6 counts
--       7 ended tasks by the time of their purge
--       8 outbox
--       9 stored bytes
--       10 mark of its message
--       11 owner's open tasks
--       12 owner's ended tasks
--       13 owner's open tasks of the context
--       14 owner's ended tasks of the context
--       15 owner's tasks that ended in this state
--       16 parked tasks
--       17 dead letters
--       18 their times
--       19 … all other keys of the task, the push hash first
--       … owner's tasks of the context that ended in this state
--       … owner's open tasks by state, and those of the context (lib/relist.lua)
--       last: tenant's tasks
-- ARGV  1 task id
--       2 states in which it may go, or '*' for any
--       3 state that it was seen in
--       4 names of its artifacts as they were seen
-- Returns 1 | 0 it is in another state | 2 it has changed since it was read
-- @include lib/record.lua
-- @include lib/fair_queue.lua
-- @include lib/bytes.lua
-- @include lib/letters.lua
local t, id = read_task(KEYS[1], ARGV[1]), ARGV[1]
if not t then
  for _, n in ipairs({ 2, 7, 16, #KEYS }) do redis.call('ZREM', KEYS[n], id) end
  return 1
end
if ARGV[2] ~= '*' and not is_one_of(t.state, ARGV[2]) then return 0 end
local f = redis.call('HMGET', KEYS[1], 'n', 'b', 'z', 'jb')
if t.state ~= ARGV[3] or (f[1] or '') ~= ARGV[4] then return 2 end
local queue, other = KEYS[3], KEYS[4]
if t.limited == '1' then queue, other = other, queue end
leave_queue(queue, other, KEYS[5], t.member, false)
redis.call('ZREM', KEYS[2], id)
redis.call('ZREM', KEYS[7], id)
for _, n in ipairs({ 16, #KEYS }) do redis.call('ZREM', KEYS[n], id) end
for n = 11, 15 do redis.call('ZREM', KEYS[n], t.ms .. ':' .. id) end
for n = #KEYS - 7, #KEYS - 1 do redis.call('ZREM', KEYS[n], t.ms .. ':' .. id) end
for n, name in ipairs({ 'begun', t.state ~= 'TASK_STATE_SUBMITTED' and t.state or nil }) do
  uncount(KEYS[6], t.skill .. ' ' .. name)
end
count_for(t.i, KEYS[9], -((f[2] or 0) + (f[3] or 0) + (f[4] or 0)))
for hook in string.gmatch(t.w, '%S+') do
  redis.call('ZREM', KEYS[8], id .. ' ' .. hook)
  drop_letters(KEYS[19], id, hook, KEYS[17], KEYS[18])
end
redis.call('DEL', KEYS[1], unpack(KEYS, 19, #KEYS - 8))
-- A failover may have lost the mark, and the same message have begun another task.
local sent = redis.call('GET', KEYS[10])
if sent and string.sub(sent, 1, #id) == id then redis.call('DEL', KEYS[10]) end
return 1
