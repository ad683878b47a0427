-- Renews the slot of an attempt in progress; for the probe of an open breaker also the pause of the others.
-- Input
--   endpoint_key        endpoint
--   attempts_key        attempts under way to it
--   group_attempts_key  attempts under way of its group: of all endpoints of a tenant
--   token               token of the attempt
--   lost_ms             ms after which it counts as lost
--   ahead_ms            ms to add to the server's clock
-- Output
--   1, or 0 where the slot is no longer held
-- @include ../../../tasks/lua/lib/run/now.lua
local until_ms = now_ms() + ahead_ms + lost_ms
if redis.call('ZSCORE', attempts_key, token) == false then return 0 end
redis.call('ZADD', attempts_key, until_ms, token)
redis.call('ZADD', group_attempts_key, until_ms, token)
if redis.call('HGET', endpoint_key, 'probe') == token then redis.call('HSET', endpoint_key, 'open', until_ms) end
return 1
