-- Moves a webhook's cursor back to a dead-lettered event. Later events are sent again, with the same ids.
-- KEYS  1 task
--       2 push
--       3 outbox
--       4 dead letters
--       5 their times
-- ARGV  1 task id
--       2 config id
--       3 dead letter's name
--       4 its event
--       5 channel of the dispatchers
--       6 shard
-- Returns 'GONE' (task or webhook are no more; the dead letter is dropped) | 'OK'
-- @include ../../task/lua/lib/now.lua
-- @include ../../task/lua/lib/outbox.lua
-- @include lib/cursor.lua
local task, push, hook = KEYS[1], KEYS[2], ARGV[2]
redis.call('HDEL', KEYS[4], ARGV[3])
redis.call('ZREM', KEYS[5], ARGV[3])
if redis.call('EXISTS', task) == 0 or not get(push, hook, 'config') then return 'GONE' end

set(push, hook, 'next', math.min(ARGV[4], get(push, hook, 'next')))
forget(push, hook, 'dead', 'tries', 'since', 'after', 'body', 'span', 'refused')
release(push, hook)
redis.call('ZREM', KEYS[3], ARGV[1] .. ' ' .. hook)
wake_webhooks(KEYS[3], ARGV[5], ARGV[6], ARGV[1], hook, now_ms())
return 'OK'
