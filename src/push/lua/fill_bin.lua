-- Puts a delivery into a bin that is open; the oldest ones leave where it would hold too many, or too many bytes.
-- KEYS  1 bin
-- ARGV  1 delivery
--       2 most deliveries
--       3 most bytes
-- Returns 1 | 0 where it is not open
local bin = KEYS[1]
if redis.call('EXISTS', bin) == 0 then return 0 end

local last = redis.call('HINCRBY', bin, 'last', 1)
redis.call('HSET', bin, last, ARGV[1])
local bytes = redis.call('HGET', bin, 'bytes') + #ARGV[1]
local first = tonumber(redis.call('HGET', bin, 'first'))
while first < last and (last - first >= tonumber(ARGV[2]) or bytes > tonumber(ARGV[3])) do
  bytes = bytes - redis.call('HSTRLEN', bin, first)
  redis.call('HDEL', bin, first)
  first = first + 1
end
redis.call('HSET', bin, 'first', first, 'bytes', bytes)
return 1
