-- Adds a delivery to an open bin, and removes the oldest ones beyond its limits of count and bytes.
-- Input
--   bin_key
--   delivery
--   max_deliveries  most deliveries
--   max_bytes       most bytes
-- Output
--   1 | 0 where it is not open
if redis.call('EXISTS', bin_key) == 0 then return 0 end

local last = redis.call('HINCRBY', bin_key, 'last', 1)
redis.call('HSET', bin_key, last, delivery)
local bytes = redis.call('HGET', bin_key, 'bytes') + #delivery
local first = tonumber(redis.call('HGET', bin_key, 'first'))
while first < last and (last - first >= tonumber(max_deliveries) or bytes > tonumber(max_bytes)) do
  bytes = bytes - redis.call('HSTRLEN', bin_key, first)
  redis.call('HDEL', bin_key, first)
  first = first + 1
end
redis.call('HSET', bin_key, 'first', first, 'bytes', bytes)
return 1
