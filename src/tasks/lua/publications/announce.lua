-- Adds a published event to the log of a webhook, once in all attempts, and notifies the dispatchers. Delivered events
-- are dropped when the log is full; an event without room is refused.
-- Input
--   log_key     its log
--   push_key    its push hash
--   outbox_key
--   id
--   hook        id of the webhook in its push hash
--   nonce       nonce derived from the event
--   event
--   max_events  most events
--   max_bytes   most bytes
--   hints       channel of the dispatchers
--   shard
-- Output
--   'GONE' | 'KNOWN' | 'FULL' | 'OK'
-- @include ../lib/run/now.lua
-- @include ../lib/hooks/outbox.lua
local entry = nonce .. ' ' .. event
local f = redis.call('HMGET', log_key, field.word, 'first', 'bytes', 'n:' .. nonce)
if not f[1] then return 'GONE' end
if f[4] then return 'KNOWN' end
local latest, first, bytes = tonumber(string.match(f[1], '%d+$')), tonumber(f[2]), tonumber(f[3])
local next_event = tonumber(redis.call('HGET', push_key, 'next:' .. hook))

local function is_full() return latest - first + 1 >= tonumber(max_events) or bytes + #entry > tonumber(max_bytes) end

while is_full() and first < next_event do
  local old = redis.call('HGET', log_key, field.event .. first)
  redis.call('HDEL', log_key, field.event .. first, 'n:' .. string.match(old, '^%S+'))
  first, bytes = first + 1, bytes - #old
end
if is_full() then
  redis.call('HSET', log_key, 'first', first, 'bytes', bytes)
  return 'FULL'
end
latest = latest + 1
redis.call('HSET', log_key, field.word, 'EVENTS ' .. latest, field.event .. latest, entry, 'n:' .. nonce, latest,
  'first', first, 'bytes', bytes + #entry)
wake_webhooks(outbox_key, hints, shard, id, hook, now_ms())
return 'OK'
