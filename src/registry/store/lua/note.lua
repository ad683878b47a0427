-- Notes how a look at an agent went, and when the next one is.
-- KEYS  1 entries
--       2 health
--       3 due
--       4 meta
--       5 changed
--       6 feed
-- ARGV  1 identifier
--       2 its health
--       3 ms until the next look
--       4 the entry as it was read, where readers must know of the look since its state is another one; else ''
--       5 the change for the feed, '' where nobody is told
--       6 the channel of the feeds' readers
--       7 the tenant
--       8 most changes of a feed
--       9 most bytes of a feed
-- Returns 'done' | 'changed' where the entry is another one
-- @include ../../../task/lua/lib/now.lua
-- @include lib/tell.lua
local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry then return 'done' end
if ARGV[4] ~= '' and entry ~= ARGV[4] then return 'changed' end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[3], now_ms() + ARGV[3], ARGV[1])
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[5], redis.call('HINCRBY', KEYS[4], 'version', 1), ARGV[1]) end
tell(KEYS[6], KEYS[4], unpack(ARGV, 5))
return 'done'
