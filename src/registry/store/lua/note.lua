-- Notes how a look at an agent went, and when the next one is.
-- Input
--   entries_key
--   health_key
--   due_key
--   meta_key
--   changed_key
--   feed_key
--   id              identifier
--   state           its health
--   next_ms         ms until the next look
--   seen_entry      the entry as it was read, where readers must know of the look since its state is another one; else ''
--   change          the change for the feed, '' where nobody is told
--   channel         the channel of the feeds' readers
--   tenant          the tenant
--   max_changes     most changes of a feed
--   max_feed_bytes  most bytes of a feed
-- Output
--   'done' | 'changed' where the entry is another one
-- @include ../../../task/lua/lib/now.lua
-- @include lib/tell.lua
local entry = redis.call('HGET', entries_key, id)
if not entry then return 'done' end
if seen_entry ~= '' and entry ~= seen_entry then return 'changed' end
redis.call('HSET', health_key, id, state)
redis.call('ZADD', due_key, now_ms() + next_ms, id)
if seen_entry ~= '' then redis.call('ZADD', changed_key, redis.call('HINCRBY', meta_key, 'version', 1), id) end
tell(feed_key, meta_key, change, { channel = channel, tenant = tenant, changes = max_changes, bytes = max_feed_bytes })
return 'done'
