-- Pins or removes the keys of a publisher, and appends the event to the log.
-- Input
--   publishers_key
--   log_key
--   meta_key
--   publisher
--   pinned          its keys, '' to remove them
--   seen_head       digest of the log's last event as it was read, '' for none
--   event           the event
--   digest          its digest
--   max_publishers  most publishers of a tenant
--   max_events      most events of a log
-- Output
--   'done' | 'changed' when a concurrent writer was first | 'publishers' when the bound is reached
if (redis.call('HGET', meta_key, 'head') or '') ~= seen_head then return 'changed' end
local is_new = redis.call('HEXISTS', publishers_key, publisher) == 0
if pinned ~= '' and is_new and redis.call('HLEN', publishers_key) >= tonumber(max_publishers) then return 'publishers' end
if pinned == '' then
  redis.call('HDEL', publishers_key, publisher)
else
  redis.call('HSET', publishers_key, publisher, pinned)
end
redis.call('RPUSH', log_key, event)
redis.call('LTRIM', log_key, -max_events, -1)
redis.call('HSET', meta_key, 'head', digest)
redis.call('HINCRBY', meta_key, 'seq', 1)
return 'done'
