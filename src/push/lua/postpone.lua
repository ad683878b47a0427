-- Releases a cursor until a later time: its event failed and will be retried, or its receiver has no free slot. Publishes
-- a hint, so that the dispatchers check the outbox in time.
-- KEYS  1 task
--       2 push
--       3 outbox
--       4 last attempts
-- ARGV  1 task id
--       2 config id
--       3 token of the caller
--       4 ms to wait
--       5 '1' when an attempt failed, else '0'
--       6 ms to add to the server's clock
--       7 line of the attempt, or ''
--       8 body to send again, or ''
--       9 span of the failed attempt, or ''
--       10 channel of the dispatchers
--       11 shard
-- Returns 'LOST' | 'OK'
-- @include ../../task/lua/lib/now.lua
-- @include lib/cursor.lua
local task, push, hook, now = KEYS[1], KEYS[2], ARGV[2], now_ms() + ARGV[6]
if redis.call('EXISTS', task) == 0 then return 'LOST' end
note_attempt(KEYS[4], ARGV[7])
if not holds(push, hook, ARGV[3]) then return 'LOST' end

redis.call('HINCRBY', push, 'tries:' .. hook, ARGV[5])
redis.call('HSETNX', push, 'since:' .. hook, now)
set(push, hook, 'after', now + ARGV[4])
if ARGV[8] ~= '' then set(push, hook, 'body', ARGV[8]) end
if ARGV[9] ~= '' then set(push, hook, 'span', ARGV[9]) end
release(push, hook)
redis.call('ZADD', KEYS[3], now + ARGV[4], ARGV[1] .. ' ' .. hook)
redis.call('PUBLISH', ARGV[10], ARGV[11])
return 'OK'
