-- Opens a bin for deliveries, or extends it. Numbers of deliveries begin with the time: those of a reopened bin are
-- higher than before.
-- Input
--   bin_key
--   bins_key  bins of the tenant
--   id
--   ttl       ms until it ends
--   max_bins  most bins of a tenant
-- Output
--   when it ends, ms since 1970; 0 where the tenant has as many
-- @include ../../../tasks/lua/lib/run/now.lua
local now = now_ms()
redis.call('ZREMRANGEBYSCORE', bins_key, '-inf', now)
if not redis.call('ZSCORE', bins_key, id) and redis.call('ZCARD', bins_key) >= tonumber(max_bins) then return 0 end

local ends = now + ttl
redis.call('ZADD', bins_key, ends, id)
redis.call('PEXPIREAT', bins_key, ends)
if redis.call('EXISTS', bin_key) == 0 then redis.call('HSET', bin_key, 'first', now + 1, 'last', now, 'bytes', 0) end
redis.call('HSET', bin_key, 'ends', ends)
redis.call('PEXPIREAT', bin_key, ends)
return ends
