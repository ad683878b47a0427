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
--       11 member of the queue
--       12 tenant
--       13 position now served by other queues
--       14 field of the counts
--       15 reply channel or '', kept where the run waits
--       16 how many of the following there are, 10 or none: the usual task needs none of them
--       17 '1' when the context was named
--       18 bytes, 19 account of the tenant, 20 account of the client; bytes '' for none
--       21 id of its webhook or '', 22 its record, 23 channel of the dispatchers, 24 shard
--       25 channel of the worker that has lent a slot for the run, or ''; 26 head of what it is given
--       … fields of the task but its word: name, value. The last six are not given to a worker: first event, channel, log of runs
-- Returns {'CLAIMED', ms} | {'CREATED', ms, position[, position served]} | {'SENT', '<task id> <hash>'}
-- @include lib/now.lua
-- @include lib/fair_queue.lua
-- @include lib/outbox.lua
-- @include lib/bring.lua
-- @include lib/rank.lua
if not redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'NX', 'PX', ARGV[3]) then
  -- The nonce is unique to this call: a task with it in its first event was created by this call, whose reply was lost.
  local sent, own = redis.call('GET', KEYS[1]), redis.call('HMGET', KEYS[2], 'e1', 's')
  if not own[1] or string.sub(own[1], 1, #ARGV[4] + 1) ~= ARGV[4] .. ' ' then return { 'SENT', sent } end
  return { own[2] == ARGV[5] and 'CLAIMED' or 'CREATED', now_ms(), 0 }
end
local now, claims = now_ms(), ARGV[5] ~= '' and redis.call('EXISTS', KEYS[4]) == 0
local more = tonumber(ARGV[16])
-- The worker hears it when this script has ended, and without a worker that hears it the run waits.
if claims and more > 0 and ARGV[25] ~= '' then
  -- Joined at once: Lua hashes every byte of every text that it makes.
  ARGV[26] = ARGV[26] .. now
  claims = redis.call('PUBLISH', ARGV[25], table.concat(ARGV, '\n', 26, #ARGV - 6)) > 0
end
redis.call('HSET', KEYS[2], 's', claims and ARGV[5] or ARGV[6], unpack(ARGV, 17 + more))
redis.call('PEXPIRE', KEYS[2], ARGV[9])
redis.call('ZADD', KEYS[3], now + (claims and ARGV[7] or ARGV[8]), ARGV[1])
redis.call('ZADD', KEYS[7], 0, ARGV[10])
redis.call('HINCRBY', KEYS[6], ARGV[14], 1)
rank_task(KEYS[8], ARGV[1], ARGV[6], ARGV[10])
if more > 0 then
  if ARGV[17] == '1' then redis.call('ZADD', KEYS[9], 0, ARGV[10]) end
  bring(10, 18, ARGV[9], now)
end
if claims then return { 'CLAIMED', now } end
if ARGV[15] ~= '' then redis.call('HSET', KEYS[2], 'r', ARGV[15]) end
local position, served = join_queue(KEYS[4], KEYS[5], ARGV[11], ARGV[12], ARGV[13])
return { 'CREATED', now, position, served }
