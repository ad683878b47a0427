-- The list of running processes: one that stops reporting is removed after a while.
-- Input
--   presence_key
--   process       the process, or '' to read only
--   hold_ms       ms until it must report again; 0 when it leaves
-- Output
--   the running processes
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', presence_key, '-inf', now)
if hold_ms ~= '0' then
  redis.call('ZADD', presence_key, now + hold_ms, process)
  redis.call('PEXPIRE', presence_key, hold_ms)
else
  redis.call('ZREM', presence_key, process)
end
return redis.call('ZRANGE', presence_key, 0, -1)
