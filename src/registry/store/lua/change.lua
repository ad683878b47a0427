-- Changes an agent of a registry and appends the event to its log, if both are unchanged since they were read.
-- Input
--   entries_key
--   cards_key
--   log_key
--   meta_key
--   changed_key
--   due_key
--   health_key
--   feed_key
--   id              identifier
--   seen_entry      its entry as it was read, '' for none
--   seen_head       digest of the log's last event as it was read, '' for none
--   entry           the new entry, '' to remove it
--   card            the served card, '' to keep it
--   pending_card    the card that waits for approval, '' for none, '=' to keep it
--   event           the event
--   digest          its digest
--   max_agents      most agents of a tenant
--   max_bytes       most bytes of a tenant
--   max_events      most events of a log
--   probe_ms        ms until the first probe of the agent
--   change          the change for the feed, '' when no client is notified
--   channel         the channel of the feeds' readers
--   tenant          the tenant
--   max_changes     most changes of a feed
--   max_feed_bytes  most bytes of a feed
-- Output
--   'done' | 'changed' when a concurrent writer was first | 'agents' | 'bytes' when a bound is reached
-- @include ../../../tasks/lua/lib/run/now.lua
-- @include lib/append_change.lua
local pending = 'pending ' .. id
local known = redis.call('HGET', entries_key, id)
if (known or '') ~= seen_entry or (redis.call('HGET', meta_key, 'head') or '') ~= seen_head then return 'changed' end
local served, waiting = redis.call('HSTRLEN', cards_key, id), redis.call('HSTRLEN', cards_key, pending)
local is_removed = entry == ''
if not known and redis.call('HLEN', entries_key) >= tonumber(max_agents) then return 'agents' end
local before = #(known or '') + served + waiting
local after = 0
if not is_removed then
  after = #entry + (card == '' and served or #card) + (pending_card == '=' and waiting or #pending_card)
end
local bytes = (tonumber(redis.call('HGET', meta_key, 'bytes')) or 0) + after - before
if after > before and bytes > tonumber(max_bytes) then return 'bytes' end

if is_removed then
  redis.call('HDEL', entries_key, id)
  redis.call('HDEL', cards_key, id, pending)
  redis.call('HDEL', health_key, id)
  redis.call('ZREM', due_key, id)
else
  redis.call('HSET', entries_key, id, entry)
  if card ~= '' then redis.call('HSET', cards_key, id, card) end
  if pending_card == '' then redis.call('HDEL', cards_key, pending) end
  if pending_card ~= '' and pending_card ~= '=' then redis.call('HSET', cards_key, pending, pending_card) end
  redis.call('ZADD', due_key, now_ms() + probe_ms, id)
end
redis.call('RPUSH', log_key, event)
redis.call('LTRIM', log_key, -max_events, -1)
redis.call('HSET', meta_key, 'bytes', bytes, 'head', digest)
redis.call('HINCRBY', meta_key, 'seq', 1)
redis.call('ZADD', changed_key, redis.call('HINCRBY', meta_key, 'version', 1), id)
redis.call('ZREMRANGEBYRANK', changed_key, 0, -2 * max_agents - 1)
append_change(feed_key, meta_key, change, { channel = channel, tenant = tenant, changes = max_changes, bytes = max_feed_bytes })
return 'done'
