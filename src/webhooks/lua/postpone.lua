-- Releases a cursor until a later time: its event failed and will be retried, or its receiver has no free slot.
-- Publishes a hint, so that the dispatchers check the outbox in time.
-- Input
--   task_key
--   push_key
--   outbox_key
--   attempts_key  last attempts
--   bytes_key     stored bytes
--   id            task id
--   hook          config id
--   token         token of the caller
--   delay_ms      ms to wait
--   failed        '1' when an attempt failed, else '0'
--   ahead_ms      ms to add to the server's clock
--   line          line of the attempt, or ''
--   body          body to send again, or ''
--   span          span of the failed attempt, or ''
--   hints         channel of the dispatchers
--   shard
-- Output
--   'LOST' | 'OK'
-- @include ../../tasks/lua/lib/run/now.lua
-- @include lib/cursor.lua
local now = now_ms() + ahead_ms
if redis.call('EXISTS', task_key) == 0 then return 'LOST' end
note_attempt(task_key, bytes_key, attempts_key, line)
if not holds(push_key, hook, token) then return 'LOST' end

redis.call('HINCRBY', push_key, 'tries:' .. hook, failed)
redis.call('HSETNX', push_key, 'since:' .. hook, now)
set(push_key, hook, 'after', now + delay_ms)
if body ~= '' then
  set(push_key, hook, 'body', body)
  count_hook(task_key, push_key, hook, bytes_key)
end
if span ~= '' then set(push_key, hook, 'span', span) end
release(push_key, hook)
redis.call('ZADD', outbox_key, now + delay_ms, id .. ' ' .. hook)
redis.call('PUBLISH', hints, shard)
return 'OK'
