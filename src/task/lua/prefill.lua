-- Stores entries in the journal of a task that will begin: results that it takes over from another one. They are counted with
-- the task, and are gone at the end of its TTL should it never begin.
-- KEYS  1 journal
-- ARGV  1 TTL of the task, ms
--       2 … entries of the journal: name, value
-- Returns how many were stored
for at = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return (#ARGV - 1) / 2
