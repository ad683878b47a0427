-- The webhooks of a shard that are due. Nothing is taken.
-- KEYS  1 outbox
-- ARGV  1 most
--       2 ms to add to the server's clock
-- Returns {ms until the first one is due, or -1 where there is none, '<task id> <config id>' …}
-- @include ../../task/lua/lib/now.lua
local now = now_ms() + ARGV[2]
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local wait = first[2] and math.max(0, math.floor(first[2] - now)) or -1
return { wait, unpack(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])) }
