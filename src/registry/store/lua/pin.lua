-- Pins or removes the keys of a publisher, and appends the event to the log.
-- KEYS  1 publishers
--       2 log
--       3 meta
-- ARGV  1 publisher
--       2 its keys, '' to remove them
--       3 digest of the log's last event as it was read, '' for none
--       4 the event
--       5 its digest
--       6 most publishers of a tenant
--       7 most events of a log
-- Returns 'done' | 'changed' where somebody else was faster | 'publishers' where the bound is reached
if (redis.call('HGET', KEYS[3], 'head') or '') ~= ARGV[3] then return 'changed' end
local is_new = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0
if ARGV[2] ~= '' and is_new and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) then return 'publishers' end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
redis.call('RPUSH', KEYS[2], ARGV[4])
redis.call('LTRIM', KEYS[2], -ARGV[7], -1)
redis.call('HSET', KEYS[3], 'head', ARGV[5])
redis.call('HINCRBY', KEYS[3], 'seq', 1)
return 'done'
