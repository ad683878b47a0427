-- Changes an agent of a registry and appends the event to its log, where both are as their author has read them.
-- KEYS  1 entries
--       2 cards
--       3 log
--       4 meta
--       5 changed
--       6 due
--       7 health
--       8 feed
-- ARGV  1 identifier
--       2 its entry as it was read, '' for none
--       3 digest of the log's last event as it was read, '' for none
--       4 the new entry, '' to remove it
--       5 the served card, '' to keep it
--       6 the card that waits for approval, '' for none, '=' to keep it
--       7 the event
--       8 its digest
--       9 most agents of a tenant
--       10 most bytes of a tenant
--       11 most events of a log
--       12 ms until the agent is looked at
--       13 the change for the feed, '' where nobody is told
--       14 the channel of the feeds' readers
--       15 the tenant
--       16 most changes of a feed
--       17 most bytes of a feed
-- Returns 'done' | 'changed' where somebody else was faster | 'agents' | 'bytes' where a bound is reached
-- @include ../../../task/lua/lib/now.lua
-- @include lib/tell.lua
local id, pending = ARGV[1], 'pending ' .. ARGV[1]
local known = redis.call('HGET', KEYS[1], id)
if (known or '') ~= ARGV[2] or (redis.call('HGET', KEYS[4], 'head') or '') ~= ARGV[3] then return 'changed' end
local served, waiting = redis.call('HSTRLEN', KEYS[2], id), redis.call('HSTRLEN', KEYS[2], pending)
local is_removed = ARGV[4] == ''
if not known and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[9]) then return 'agents' end
local before = #(known or '') + served + waiting
local after = 0
if not is_removed then
  after = #ARGV[4] + (ARGV[5] == '' and served or #ARGV[5]) + (ARGV[6] == '=' and waiting or #ARGV[6])
end
local bytes = (tonumber(redis.call('HGET', KEYS[4], 'bytes')) or 0) + after - before
if after > before and bytes > tonumber(ARGV[10]) then return 'bytes' end

if is_removed then
  redis.call('HDEL', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id, pending)
  redis.call('HDEL', KEYS[7], id)
  redis.call('ZREM', KEYS[6], id)
else
  redis.call('HSET', KEYS[1], id, ARGV[4])
  if ARGV[5] ~= '' then redis.call('HSET', KEYS[2], id, ARGV[5]) end
  if ARGV[6] == '' then redis.call('HDEL', KEYS[2], pending) end
  if ARGV[6] ~= '' and ARGV[6] ~= '=' then redis.call('HSET', KEYS[2], pending, ARGV[6]) end
  redis.call('ZADD', KEYS[6], now_ms() + ARGV[12], id)
end
redis.call('RPUSH', KEYS[3], ARGV[7])
redis.call('LTRIM', KEYS[3], -ARGV[11], -1)
redis.call('HSET', KEYS[4], 'bytes', bytes, 'head', ARGV[8])
redis.call('HINCRBY', KEYS[4], 'seq', 1)
redis.call('ZADD', KEYS[5], redis.call('HINCRBY', KEYS[4], 'version', 1), id)
redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -2 * ARGV[9] - 1)
tell(KEYS[8], KEYS[4], unpack(ARGV, 13))
return 'done'
