-- Milliseconds of the server's clock: leases and due times must not depend on the clocks of pods.
local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- A full Redis refuses the first write of a script if it needs memory, and none after it. One that needs none comes first
-- in every script that lets what has begun go on and end; those that begin something new have no such reserve.
local function keep_reserve(task) redis.call('HDEL', task, '') end
