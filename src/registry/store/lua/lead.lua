-- Makes a process the only one of its work, or keeps it so.
-- KEYS  1 lease
-- ARGV  1 the process
--       2 ms that the lease lasts
-- Returns 1 where the process has it
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
