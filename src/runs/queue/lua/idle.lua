-- Reports that a worker process is idle (free slots and empty fair queues), or no longer is.
-- Input
--   idle_key  idle workers: process by the time until which it counts as idle
--   process   id of the process
--   idle_ms   ms until it must say so again; 0 when it is not idle any more
-- Output
--   1, and 0 or 1 from a process that is idle no more
if idle_ms == '0' then return redis.call('ZREM', idle_key, process) end
local t = redis.call('TIME')
redis.call('ZADD', idle_key, t[1] * 1000 + math.floor(t[2] / 1000) + idle_ms, process)
redis.call('PEXPIRE', idle_key, idle_ms)
return 1
