-- Moves a webhook's cursor back to a dead-lettered event. Later events are sent again, with the same ids.
-- Input
--   task_key
--   push_key
--   outbox_key
--   dead_key        dead letters
--   dead_times_key  their times
--   bytes_key       stored bytes
--   id              task id
--   hook            config id
--   dead_name       dead letter's name
--   event           its event
--   hints           channel of the dispatchers
--   shard
-- Output
--   'GONE' (task or webhook are no more; the dead letter is dropped) | 'OK'
-- @include ../../tasks/lua/lib/run/now.lua
-- @include ../../tasks/lua/lib/hooks/outbox.lua
-- @include lib/cursor.lua
redis.call('HDEL', dead_key, dead_name)
redis.call('ZREM', dead_times_key, dead_name)
if redis.call('EXISTS', task_key) == 0 or not get(push_key, hook, 'config') then return 'GONE' end

local letters = string.gsub(' ' .. (get(push_key, hook, 'letters') or '') .. ' ', ' ' .. event .. ' ', ' ')
set(push_key, hook, 'letters', letters)
set(push_key, hook, 'next', math.min(event, get(push_key, hook, 'next')))
forget(push_key, hook, 'dead', 'tries', 'since', 'after', 'body', 'span', 'refused')
release(push_key, hook)
count_hook(task_key, push_key, hook, bytes_key)
redis.call('ZREM', outbox_key, id .. ' ' .. hook)
wake_webhooks(outbox_key, hints, shard, id, hook, now_ms())
return 'OK'
