-- Spends units of a rate for calls of one price, as many of them as it has units for (generic cell rate algorithm). Where
-- all are paid, it pays for some that are to come, from a sixteenth of what is left: other processes need the rest. A
-- bucket is one number: the time at which it would be full again. The clock is that of Redis, so replicas with different
-- clocks share one rate; where it is set back, a bucket is empty at most.
-- Input
--   bucket_key  bucket
--   interval    time in which one unit comes back, microseconds
--   burst       burst: units of a full bucket
--   cost        units for a call
--   calls       calls
--   max_ahead   calls to pay ahead, at most
-- Output
--   {calls that were paid, calls paid ahead, whole units left, microseconds until full, microseconds until one more
--   could be paid}
local interval, calls, ahead = tonumber(interval), tonumber(calls), tonumber(max_ahead)
local capacity, price = tonumber(burst) * interval, tonumber(cost) * interval

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local full_at = math.min(now + capacity, math.max(now, tonumber(redis.call('GET', bucket_key) or 0)))

local affordable = math.max(0, math.floor((now + capacity - full_at) / price))
local paid = math.min(calls, affordable)
ahead = paid < calls and 0 or math.min(ahead, math.floor((affordable - paid) / 16))
if paid > 0 then
  full_at = full_at + (paid + ahead) * price
  redis.call('SET', bucket_key, string.format('%.0f', full_at), 'PX', math.max(1, math.ceil((full_at - now) / 1000)))
end
local left = math.max(0, math.floor((now + capacity - full_at) / interval))
return { paid, ahead, left, math.ceil(full_at - now), math.max(0, math.ceil(full_at + price - capacity - now)) }
