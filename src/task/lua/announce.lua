-- Adds a published event to the log of a webhook, once however often it is tried, and notifies the dispatchers. Delivered
-- events leave when the log is full; an event for which there is no room is refused.
-- KEYS  1 its log
--       2 its push hash
--       3 outbox
-- ARGV  1 id
--       2 id of the webhook in its push hash
--       3 nonce that follows from the event
--       4 event
--       5 most events
--       6 most bytes
--       7 channel of the dispatchers
--       8 shard
-- Returns 'GONE' | 'KNOWN' | 'FULL' | 'OK'
-- @include lib/now.lua
-- @include lib/outbox.lua
local log, entry = KEYS[1], ARGV[3] .. ' ' .. ARGV[4]
local f = redis.call('HMGET', log, 's', 'first', 'bytes', 'n:' .. ARGV[3])
if not f[1] then return 'GONE' end
if f[4] then return 'KNOWN' end
local latest, first, bytes = tonumber(string.match(f[1], '%d+$')), tonumber(f[2]), tonumber(f[3])
local next = tonumber(redis.call('HGET', KEYS[2], 'next:' .. ARGV[2]))

local function is_full() return latest - first + 1 >= tonumber(ARGV[5]) or bytes + #entry > tonumber(ARGV[6]) end

while is_full() and first < next do
  local old = redis.call('HGET', log, 'e' .. first)
  redis.call('HDEL', log, 'e' .. first, 'n:' .. string.match(old, '^%S+'))
  first, bytes = first + 1, bytes - #old
end
if is_full() then
  redis.call('HSET', log, 'first', first, 'bytes', bytes)
  return 'FULL'
end
latest = latest + 1
redis.call('HSET', log, 's', 'EVENTS ' .. latest, 'e' .. latest, entry, 'n:' .. ARGV[3], latest,
  'first', first, 'bytes', bytes + #entry)
wake_webhooks(KEYS[3], ARGV[7], ARGV[8], ARGV[1], ARGV[2], now_ms())
return 'OK'
