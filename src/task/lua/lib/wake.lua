-- Ends the wait of a parked task: its run is in the fair queue afterwards. Woken runs are a flow of their own beside
-- the tenant's new runs: begun work ends before more begins, and other tenants wait for at most one share of it.
-- @include fair_queue.lua
local function wake(t, now, keys, ended, longest, elsewhere)
  vacate(t)
  redis.call('HSET', t.key, 's', word_of(t), 'wk', ended)
  redis.call('HDEL', t.key, 'l')
  redis.call('ZREM', keys.parked, t.id)
  redis.call('ZADD', keys.due, now + longest, t.id)
  return join_queue(t.limited == '1' and keys.limited_queue or keys.queue, keys.turns, t.member, 'wake:' .. t.tenant, elsewhere)
end
