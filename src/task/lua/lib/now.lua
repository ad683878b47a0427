-- Milliseconds of the server's clock: leases and due times must not depend on the clocks of pods.
local function now_ms()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
