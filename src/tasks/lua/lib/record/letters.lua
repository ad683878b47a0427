-- The dead letters of a webhook, in the hash of its shard and in that of their times: 'letters:<config id>' of the push
-- hash has the numbers of their events. They are removed with their webhook and with its task.
local function drop_letters(push_key, id, hook, dead_key, dead_times_key)
  for seq in string.gmatch(redis.call('HGET', push_key, 'letters:' .. hook) or '', '%d+') do
    local name = id .. ' ' .. hook .. ' ' .. seq
    redis.call('HDEL', dead_key, name)
    redis.call('ZREM', dead_times_key, name)
  end
  redis.call('HDEL', push_key, 'letters:' .. hook)
end
