-- Milliseconds of the server's clock: leases and due times must not depend on the clocks of pods.
local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- A full Redis refuses the first write of a script if it needs memory, and none after it. Scripts that let begun work
-- continue and end therefore make a first write that needs none; scripts that begin work do not.
local function keep_reserve(task_key) redis.call('HDEL', task_key, '') end
