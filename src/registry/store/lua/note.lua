-- Records the result of a probe and the time of the next one.
-- Input
--   entries_key
--   health_key
--   due_key
--   meta_key
--   changed_key
--   feed_key
--   id              identifier
--   state           its health
--   next_ms         ms until the next probe
--   seen_entry      the entry as read, when its state changes and readers must be notified; else ''
--   change          the change for the feed, '' when no client is notified
--   channel         the channel of the feeds' readers
--   tenant          the tenant
--   max_changes     most changes of a feed
--   max_feed_bytes  most bytes of a feed
-- Output
--   'done' | 'changed' when the entry has changed
-- @include ../../../tasks/lua/lib/run/now.lua
-- @include lib/append_change.lua
local entry = redis.call('HGET', entries_key, id)
if not entry then return 'done' end
if seen_entry ~= '' and entry ~= seen_entry then return 'changed' end
redis.call('HSET', health_key, id, state)
redis.call('ZADD', due_key, now_ms() + next_ms, id)
if seen_entry ~= '' then redis.call('ZADD', changed_key, redis.call('HINCRBY', meta_key, 'version', 1), id) end
append_change(feed_key, meta_key, change, { channel = channel, tenant = tenant, changes = max_changes, bytes = max_feed_bytes })
return 'done'
