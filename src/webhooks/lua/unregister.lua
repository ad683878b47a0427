-- Removes a webhook of a task with its cursor, dead letters and bytes; a repeat changes nothing (A2A-PCFG-07).
-- Input
--   task_key        task
--   push_key        push
--   outbox_key      outbox
--   bytes_key       stored bytes
--   dead_key        dead letters
--   dead_times_key  their times
--   owner           owner
--   hook            config id
--   id              task id
-- Output
--   'NOT_FOUND' (the task) | 'OK'
-- @include ../../tasks/lua/lib/hooks/hooked.lua
-- @include ../../tasks/lua/lib/record/letters.lua
-- @include lib/cursor.lua
local t = read_hooked(task_key)
if not t or t.owner ~= owner then return 'NOT_FOUND' end
if not get(push_key, hook, 'config') then return 'OK' end

local left = {}
for other in string.gmatch(t.hooks, '%S+') do
  if other ~= hook then left[#left + 1] = other end
end
put_hooks(task_key, table.concat(left, ' '))
forget(push_key, hook, 'config', 'next', 'tries', 'since', 'after', 'body', 'span', 'lease', 'until', 'refused', 'dead')
drop_letters(push_key, id, hook, dead_key, dead_times_key)
count_hook(task_key, push_key, hook, bytes_key)
redis.call('ZREM', outbox_key, id .. ' ' .. hook)
return 'OK'
