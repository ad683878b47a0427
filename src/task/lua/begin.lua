-- Stores a new task with its first event. Claims its run for the caller if the fair queue is empty; otherwise the run enters
-- the queue. Returns the existing task if the same message has created one before.
-- KEYS  1 mark of the message
--       2 task
--       3 due
--       4 fair queue of this kind of skill
--       5 positions of the queue
--       6 counts
--       7 owner's open tasks
--       8 tenant's tasks
--       where the context was named, bytes are counted or the task has a webhook:
--       9 owner's open tasks of the context
--       10 stored bytes
--       11 webhooks of the task
--       12 outbox
-- ARGV  1 task id
--       2 hash of the request
--       3 TTL of the mark, ms
--       4 nonce
--       5 word when the caller claims the run, '' when it must not
--       6 word when the run waits
--       7 lease, ms
--       8 longest wait for a run, ms
--       9 TTL of the task, ms
--       10 index entry, '<ms>:<id>'
--       11 '1' when the context was named
--       12 member of the queue
--       13 tenant
--       14 position now served by other queues
--       15 field of the counts
--       16 bytes, 17 account of the tenant, 18 account of the client; bytes '' for none
--       19 id of its webhook or '', 20 its record, 21 channel of the dispatchers, 22 shard
--       23 reply channel or '', kept where the run waits
--       24 … fields of the task but its word: name, value
-- Returns {'CLAIMED', ms} | {'CREATED', ms, position[, position served]} | {'SENT', '<task id> <hash>'}
-- @include lib/now.lua
-- @include lib/fair_queue.lua
-- @include lib/outbox.lua
-- @include lib/rank.lua
if not redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'NX', 'PX', ARGV[3]) then
  -- The nonce is unique to this call: a task with it in its first event was created by this call, whose reply was lost.
  local sent, own = redis.call('GET', KEYS[1]), redis.call('HMGET', KEYS[2], 'e1', 's')
  if not own[1] or string.sub(own[1], 1, #ARGV[4] + 1) ~= ARGV[4] .. ' ' then return { 'SENT', sent } end
  return { own[2] == ARGV[5] and 'CLAIMED' or 'CREATED', now_ms(), 0 }
end
local now, claims = now_ms(), ARGV[5] ~= '' and redis.call('EXISTS', KEYS[4]) == 0
redis.call('HSET', KEYS[2], 's', claims and ARGV[5] or ARGV[6], unpack(ARGV, 24))
redis.call('PEXPIRE', KEYS[2], ARGV[9])
redis.call('ZADD', KEYS[3], now + (claims and ARGV[7] or ARGV[8]), ARGV[1])
redis.call('ZADD', KEYS[7], 0, ARGV[10])
redis.call('HINCRBY', KEYS[6], ARGV[15], 1)
rank_task(KEYS[8], ARGV[1], ARGV[6], ARGV[10])
if ARGV[11] == '1' then redis.call('ZADD', KEYS[9], 0, ARGV[10]) end
if ARGV[16] ~= '' then
  redis.call('HINCRBY', KEYS[10], ARGV[17], ARGV[16])
  redis.call('HINCRBY', KEYS[10], ARGV[18], ARGV[16])
end
if ARGV[19] ~= '' then
  redis.call('HSET', KEYS[11], 'config:' .. ARGV[19], ARGV[20], 'next:' .. ARGV[19], 1)
  redis.call('PEXPIRE', KEYS[11], ARGV[9])
  wake_webhooks(KEYS[12], ARGV[21], ARGV[22], ARGV[1], ARGV[19], now)
end
if claims then return { 'CLAIMED', now } end
if ARGV[23] ~= '' then redis.call('HSET', KEYS[2], 'r', ARGV[23]) end
local position, served = join_queue(KEYS[4], KEYS[5], ARGV[12], ARGV[13], ARGV[14])
return { 'CREATED', now, position, served }
