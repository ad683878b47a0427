-- Spends units of a rate if there are enough (generic cell rate algorithm). A bucket is one number: the time at which it
-- would be full again. The clock is that of Redis, so replicas with different clocks share one rate.
-- KEYS  1 bucket
-- ARGV  1 time in which one unit comes back, microseconds  2 burst: units of a full bucket  3 cost: units to spend
-- Returns {allowed 1 | 0, whole units left, microseconds until full, microseconds until the cost could be paid}
local interval = tonumber(ARGV[1])
local burst = tonumber(ARGV[2])
local cost = tonumber(ARGV[3])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local fullAt = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))

local fullAtAfter = fullAt + cost * interval
local wait = fullAtAfter - burst * interval - now
if wait > 0 then
  local left = math.max(0, math.floor((now + burst * interval - fullAt) / interval))
  return { 0, left, math.ceil(fullAt - now), math.ceil(wait) }
end

local ttl = math.max(1, math.ceil((fullAtAfter - now) / 1000))
redis.call('SET', KEYS[1], string.format('%.0f', fullAtAfter), 'PX', ttl)
return { 1, math.floor((now + burst * interval - fullAtAfter) / interval), math.ceil(fullAtAfter - now), 0 }
