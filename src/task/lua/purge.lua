-- Removes all that there is of a task.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 states in which it may go, or '*' for any
-- Returns 1, or 0 when it is in another state
-- @include lib/record.lua
-- @include lib/hold.lua
-- @include lib/line.lua
local t, id = read_task(KEYS[1], ARGV[1]), ARGV[1]
if not t then
  redis.call('ZREM', KEYS[2], id)
  return 1
end
if ARGV[2] ~= '*' and not is_one_of(t.state, ARGV[2]) then return 0 end
leave_line(t, false)
unindex(t, t.state, t.ms)
count(t, t.state, -1)
redis.call('ZREM', KEYS[2], id)
for n = 1, t.artifacts do redis.call('DEL', t.key .. ':artifact:' .. n) end
redis.call('DEL', t.key, t.key .. ':history', t.key .. ':events', t.key .. ':steps', t.key .. ':state', t.key .. ':messages',
  t.key .. ':push', t.key .. ':attempts', t.key .. ':senders')
for hook in string.gmatch(t.hooks, '%S+') do redis.call('ZREM', t.shard .. ':pushes', id .. ' ' .. hook) end
-- The mark has its own, shorter life: the same message may have begun another task since.
local sent = redis.call('GET', t.sent)
if sent and string.sub(sent, 1, #id) == id then redis.call('DEL', t.sent) end
return 1
