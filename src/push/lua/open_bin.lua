-- Opens a bin for deliveries, or keeps it open for longer. Numbers of deliveries begin with the time, so that those of a
-- bin that was closed and opened again are higher than the ones before.
-- KEYS  1 bin
--       2 bins of the tenant
-- ARGV  1 id
--       2 ms until it ends
--       3 most bins of a tenant
-- Returns when it ends, ms since 1970; 0 where the tenant has as many
-- @include ../../task/lua/lib/now.lua
local bin, bins, now = KEYS[1], KEYS[2], now_ms()
redis.call('ZREMRANGEBYSCORE', bins, '-inf', now)
if not redis.call('ZSCORE', bins, ARGV[1]) and redis.call('ZCARD', bins) >= tonumber(ARGV[3]) then return 0 end

local ends = now + ARGV[2]
redis.call('ZADD', bins, ends, ARGV[1])
redis.call('PEXPIREAT', bins, ends)
if redis.call('EXISTS', bin) == 0 then redis.call('HSET', bin, 'first', now + 1, 'last', now, 'bytes', 0) end
redis.call('HSET', bin, 'ends', ends)
redis.call('PEXPIREAT', bin, ends)
return ends
