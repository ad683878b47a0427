-- Records the sender of a message to a task, unless it is already recorded.
-- KEYS
--   1  the task's senders
-- ARGV
--   1  digest of the message
--   2  the sender, JSON
--   3  maximum number of senders
--   4  TTL, ms
-- Returns nothing
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return end
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
