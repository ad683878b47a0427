-- Ends the wait of a parked task: its run is in the fair queue afterwards. Woken runs are a flow of their own besides
-- the tenant's new runs: begun work ends before more begins, and other tenants wait for at most one share of it.
-- @include fair_queue.lua
-- The scripts have 'due_key', 'parked_key', both queues and their positions, 'stuck_ms', the longest wait for a run,
-- and 'elsewhere', the position served by other queues.
local function wake(t, now, ended)
  vacate(t)
  redis.call('HSET', t.key, field.word, word_of(t), field.woken, ended)
  redis.call('HDEL', t.key, field.signals)
  redis.call('ZREM', parked_key, t.id)
  redis.call('ZADD', due_key, now + stuck_ms, t.id)
  return join_queue(t.limited == '1' and limited_queue_key or queue_key, turns_key, t.member, 'wake:' .. t.tenant, elsewhere)
end
