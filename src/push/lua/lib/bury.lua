-- Puts an item among the dead letters of a shard: a hash of items and their names by time. They outlive their tasks;
-- items older than 30 days leave here, redriven ones at once, and all of them 30 days after the last.
local function bury(dead_key, times_key, now, name, item)
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', times_key, '-inf', now - 2592000000, 'LIMIT', 0, 100)) do
    redis.call('HDEL', dead_key, old)
    redis.call('ZREM', times_key, old)
  end
  redis.call('HSET', dead_key, name, item)
  redis.call('ZADD', times_key, now, name)
  redis.call('PEXPIRE', dead_key, 2592000000)
  redis.call('PEXPIRE', times_key, 2592000000)
end
