-- Adds an item to the dead letters of a shard: a hash of items, and their names by time. A webhook keeps its newest
-- 100. Items expire after 30 days; a redrive removes one at once; all of a shard expire 30 days after the last.
-- 'of': 'push_key', 'hook', 'dead_key' and 'dead_times_key'.
local function bury(of, now, name, item)
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', of.dead_times_key, '-inf', now - 2592000000, 'LIMIT', 0, 100)) do
    redis.call('HDEL', of.dead_key, old)
    redis.call('ZREM', of.dead_times_key, old)
  end
  local letters = {}
  for seq in string.gmatch(redis.call('HGET', of.push_key, 'letters:' .. of.hook) or '', '%d+') do letters[#letters + 1] = seq end
  letters[#letters + 1] = string.match(name, '%d+$')
  if #letters > 100 then
    local oldest = string.gsub(name, '%d+$', table.remove(letters, 1))
    redis.call('HDEL', of.dead_key, oldest)
    redis.call('ZREM', of.dead_times_key, oldest)
  end
  redis.call('HSET', of.push_key, 'letters:' .. of.hook, table.concat(letters, ' '))
  redis.call('HSET', of.dead_key, name, item)
  redis.call('ZADD', of.dead_times_key, now, name)
  redis.call('PEXPIRE', of.dead_key, 2592000000)
  redis.call('PEXPIRE', of.dead_times_key, 2592000000)
end
