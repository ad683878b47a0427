-- Removes all that there is of a task.
-- KEYS  1 task  2 due  3 index
-- ARGV  1 task id  2 states in which it may go, or '*' for any
-- Returns 1, or 0 when it is in another state
-- @include lib/index.lua
-- @include lib/line.lua
local task, id = KEYS[1], ARGV[1]
local f = redis.call('HMGET', task, 'state', 'owner', 'context', 'ms', 'artifacts', 'sent', 'hooks', 'skill')
if not f[1] then
  redis.call('ZREM', KEYS[2], id)
  return 1
end
if ARGV[2] ~= '*' and not string.find(ARGV[2], ' ' .. f[1] .. ' ', 1, true) then return 0 end
leave_line(task, false)
unindex(KEYS[3], id, f[2], f[3], f[1], f[4])
count(KEYS[3], f[8], f[1], -1)
redis.call('ZREM', KEYS[2], id)
for n = 1, tonumber(f[5] or '0') do redis.call('DEL', task .. ':artifact:' .. n) end
redis.call('DEL', task, task .. ':history', task .. ':inbox', task .. ':events', task .. ':artifacts', task .. ':steps',
  task .. ':state', task .. ':states', task .. ':messages', task .. ':push', task .. ':attempts')
local outbox = string.gsub(KEYS[2], 'due$', 'pushes')
for hook in string.gmatch(f[7] or '', '%S+') do redis.call('ZREM', outbox, id .. ' ' .. hook) end
-- The mark has its own, shorter life: the same message may have begun another task since.
local sent = redis.call('GET', f[6])
if sent and string.sub(sent, 1, #id) == id then redis.call('DEL', f[6]) end
return 1
