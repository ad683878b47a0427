-- Reports that a worker process has free slots and found its fair queues empty, or that it has none any more.
-- KEYS  1 idle workers: process by the time until which it counts as idle
-- ARGV  1 id of the process
--       2 ms until it must say so again; 0 when it is not idle any more
if ARGV[2] == '0' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
local t = redis.call('TIME')
redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
