-- Puts an item among the dead letters of a shard: a hash of items and their names by time. They outlive their tasks;
-- items older than 30 days leave here, redriven ones at once, and all of them 30 days after the last.
local function bury(dead, times, now, name, item)
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', times, '-inf', now - 2592000000, 'LIMIT', 0, 100)) do
    redis.call('HDEL', dead, old)
    redis.call('ZREM', times, old)
  end
  redis.call('HSET', dead, name, item)
  redis.call('ZADD', times, now, name)
  redis.call('PEXPIRE', dead, 2592000000)
  redis.call('PEXPIRE', times, 2592000000)
end
