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
--       16 score in the tenant's tasks
--       17 how many of the following there are: none for the usual task, 2 where a worker lends a slot, else 10
--       18 '1' when the context was named
--       19 bytes, 20 account of the tenant, 21 account of the client; bytes '' for none
--       22 id of its webhook or '', 23 its record, 24 channel of the dispatchers, 25 shard
--       then, also where there are 2: channel of the worker that has lent a slot for the run, or ''; head of what it is given
--       … fields of the task but its word: name, value. The last six are not given to a worker: first event, channel, log of runs
-- Returns {'CLAIMED', ms} | {'CREATED', ms, position[, position served]} | {'SENT', '<task id> <hash>'}
-- Every send calls this, so it makes only what it needs: what some tasks need is included where they need it,
-- globals, which are found by their names, are locals, and constants are texts.
local call, KEYS, ARGV = redis.call, KEYS, ARGV
-- @include lib/now.lua
if not call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'NX', 'PX', ARGV[3]) then
  -- The nonce is unique to this call: a task with it in its first event was created by this call, whose reply was lost.
  local sent, own = call('GET', KEYS[1]), call('HMGET', KEYS[2], 'e1', 's')
  if not own[1] or string.sub(own[1], 1, #ARGV[4] + 1) ~= ARGV[4] .. ' ' then return { 'SENT', sent } end
  return { own[2] == ARGV[5] and 'CLAIMED' or 'CREATED', now_ms(), 0 }
end
local now, claims = now_ms(), ARGV[5] ~= '' and call('EXISTS', KEYS[4]) == 0
local more = tonumber(ARGV[17])
local first = 18 + more
-- The worker hears it when this script has ended, and without a worker that hears it the run waits.
if claims and more > 0 and ARGV[first - 2] ~= '' then
  -- Joined at once: Lua hashes every byte of every text that it makes.
  ARGV[first - 1] = ARGV[first - 1] .. now
  claims = call('PUBLISH', ARGV[first - 2], table.concat(ARGV, '\n', first - 1, #ARGV - 6)) > 0
end
call('HSET', KEYS[2], 's', claims and ARGV[5] or ARGV[6], unpack(ARGV, first))
call('PEXPIRE', KEYS[2], ARGV[9])
call('ZADD', KEYS[3], now + (claims and ARGV[7] or ARGV[8]), ARGV[1])
call('ZADD', KEYS[7], '0', ARGV[10])
call('HINCRBY', KEYS[6], ARGV[14], '1')
call('ZADD', KEYS[8], ARGV[16], ARGV[1])
if more > 2 then
-- @include lib/outbox.lua
-- @include lib/bring.lua
  if ARGV[18] == '1' then call('ZADD', KEYS[9], '0', ARGV[10]) end
  bring(10, 19, ARGV[9], now)
end
if claims then return { 'CLAIMED', now } end
if ARGV[15] ~= '' then call('HSET', KEYS[2], 'r', ARGV[15]) end
-- @include lib/fair_queue.lua
local position, served = join_queue(KEYS[4], KEYS[5], ARGV[11], ARGV[12], ARGV[13])
return { 'CREATED', now, position, served }
