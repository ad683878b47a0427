-- Removes a webhook of a task with all that is known of it; removing it again changes nothing (A2A-PCFG-07).
-- KEYS  1 task
--       2 push
--       3 outbox
-- ARGV  1 owner
--       2 config id
--       3 task id
-- Returns 'NOT_FOUND' (the task) | 'OK'
-- @include ../../task/lua/lib/hooked.lua
-- @include lib/cursor.lua
local task, push, hook = KEYS[1], KEYS[2], ARGV[2]
local t = read_hooked(task)
if not t or t.owner ~= ARGV[1] then return 'NOT_FOUND' end
if not get(push, hook, 'config') then return 'OK' end

local left = {}
for other in string.gmatch(t.hooks, '%S+') do
  if other ~= hook then left[#left + 1] = other end
end
put_hooks(task, table.concat(left, ' '))
forget(push, hook, 'config', 'next', 'tries', 'since', 'after', 'body', 'span', 'lease', 'until', 'refused', 'dead')
redis.call('ZREM', KEYS[3], ARGV[3] .. ' ' .. hook)
return 'OK'
