-- What follows from a terminal status: nobody runs the task any more, the way of the work is forgotten, and all that
-- is left goes when its retention is over. The sweep purges it then. The keys' own TTL a month later is the net below,
-- for a service without dispatchers: only a purge knows the places of a task in the lists of its owner.
local function finish(t, due, now, retention)
  leave_line(t, false)
  put(t, 'nonce', '', 'lease', 0, 'worker', '', 'cancel', '', 'reply', '', 'inbox', '', 'fence', t.fence + 1)
  redis.call('DEL', t.key .. ':steps', t.key .. ':messages')
  redis.call('ZADD', due, now + retention, t.id)
  t.ttl = retention + 2592000000
end
