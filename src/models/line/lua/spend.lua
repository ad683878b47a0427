-- Reserves money of a tenant's daily budget for a model.
-- Input
--   spent_key   micros by model
--   model
--   micros      of the call, at most
--   max_micros  of the day
--   ttl_ms
-- Output
--   micros used before, or -1 where the rest does not suffice
local used = tonumber(redis.call('HGET', spent_key, model) or '0')
if used + tonumber(micros) > tonumber(max_micros) then return -1 end
redis.call('HINCRBY', spent_key, model, micros)
redis.call('PEXPIRE', spent_key, ttl_ms)
return used
