-- Acquires or renews the exclusive lease of a process.
-- Input
--   prober_key  lease
--   process     the process
--   lease_ms    ms that the lease lasts
-- Output
--   1 where the process has it
local holder = redis.call('GET', prober_key)
if holder and holder ~= process then return 0 end
redis.call('SET', prober_key, process, 'PX', lease_ms)
return 1
