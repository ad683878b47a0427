-- What follows from a terminal status: nobody runs the task any more, the way of the work is forgotten, and all that
-- is left goes when its retention is over. The sweep purges it then. The keys' own TTL a month later is the net below,
-- for a service without dispatchers: only a purge knows the places of a task in the lists of its owner.
local function finish(task, due, id, now, retention)
  leave_line(task, false)
  redis.call('HSET', task, 'nonce', '', 'lease', 0, 'worker', '')
  redis.call('HINCRBY', task, 'fence', 1)
  redis.call('HDEL', task, 'cancel', 'reply')
  redis.call('DEL', task .. ':inbox', task .. ':steps', task .. ':messages')
  redis.call('ZADD', due, now + retention, id)
  local ttl = retention + 2592000000
  for _, part in ipairs({ '', ':history', ':events', ':state', ':states', ':push' }) do redis.call('PEXPIRE', task .. part, ttl) end
  for n = 1, tonumber(redis.call('HGET', task, 'artifacts') or '0') do
    redis.call('PEXPIRE', task .. ':artifact:' .. n, ttl)
  end
  redis.call('PEXPIRE', task .. ':artifacts', ttl)
end
