-- Stores entries in the journal of a task that will begin: results taken over from another one. They are counted with
-- the task, and expire with its TTL if it never begins.
-- Input
--   journal_key
--   ttl          TTL of the task, ms
--   entries …    entries of the journal: name, value
-- Output
--   number of stored entries
for at = entries_from, entries_to, 2 do redis.call('HSET', journal_key, ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', journal_key, ttl)
return (entries_to - entries_from + 1) / 2
