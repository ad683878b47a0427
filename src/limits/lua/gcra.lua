-- Spends units of a rate if enough are left (generic cell rate algorithm). A bucket is one number: the time at which it
-- will be full again. Uses the clock of Redis, so replicas with different clocks share one rate; a clock set back
-- empties a bucket at most.
-- Input
--   bucket_key
--   interval    time in which one unit comes back, microseconds
--   burst       units of a full bucket
--   cost        units to spend
-- Output
--   {1 where they were spent, whole units left, microseconds until full, microseconds until they could be spent}
local interval = tonumber(interval)
local capacity, price = tonumber(burst) * interval, tonumber(cost) * interval

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local full_at = math.min(now + capacity, math.max(now, tonumber(redis.call('GET', bucket_key) or 0)))

local wait = full_at + price - capacity - now
if wait <= 0 then
  full_at = full_at + price
  redis.call('SET', bucket_key, string.format('%.0f', full_at), 'PX', math.max(1, math.ceil((full_at - now) / 1000)))
end
local left = math.max(0, math.floor((now + capacity - full_at) / interval))
return { wait <= 0 and 1 or 0, left, math.ceil(full_at - now), math.max(0, math.ceil(wait)) }
