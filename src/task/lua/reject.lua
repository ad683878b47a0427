-- Stores a task that is rejected at creation, since no skill accepts it. Returns the existing task if the same message has
-- created one before.
-- KEYS  1 mark of the message
--       2 task
--       3 ended tasks by the time of their purge
--       4 counts
--       5 owner's ended tasks
--       6 owner's ended tasks of the context
--       7 owner's tasks that ended in this state
--       8 stored bytes
--       9 webhooks of the task
--       10 outbox
--       11 owner's tasks of the context that ended in this state
--       12 tenant's tasks
-- ARGV  1 task id
--       2 hash of the request
--       3 TTL of the mark, ms
--       4 nonce
--       5 word
--       6 ms until the purge
--       7 TTL of the task, ms
--       8 entry in the lists
--       9 '1' when the context was named
--       10 field of the counts
--       11 bytes, 12 account of the tenant, 13 account of the client; bytes '' for none
--       14 id of its webhook or '', 15 its record, 16 channel of the dispatchers, 17 shard
--       18 … fields of the task but its word: name, value
-- Returns {'CREATED', ms} | {'SENT', '<task id> <hash>'}
-- @include lib/now.lua
-- @include lib/outbox.lua
-- @include lib/bring.lua
-- @include lib/rank.lua
local now = now_ms()
if not redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'NX', 'PX', ARGV[3]) then
  local sent, first = redis.call('GET', KEYS[1]), redis.call('HGET', KEYS[2], 'e1')
  local is_own = first and string.sub(first, 1, #ARGV[4] + 1) == ARGV[4] .. ' '
  return is_own and { 'CREATED', now } or { 'SENT', sent }
end
redis.call('HSET', KEYS[2], 's', ARGV[5], unpack(ARGV, 18))
redis.call('PEXPIRE', KEYS[2], ARGV[7])
redis.call('ZADD', KEYS[3], now + ARGV[6], ARGV[1])
rank_task(KEYS[#KEYS], ARGV[1], ARGV[5], ARGV[8])
redis.call('HINCRBY', KEYS[4], '- begun', 1)
redis.call('HINCRBY', KEYS[4], ARGV[10], 1)
for at, key in ipairs({ KEYS[5], KEYS[7], ARGV[9] == '1' and KEYS[6] or nil, ARGV[9] == '1' and KEYS[11] or nil }) do redis.call('ZADD', key, 0, ARGV[8]) end
bring(8, 11, ARGV[7], now)
return { 'CREATED', now }
