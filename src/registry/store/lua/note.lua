-- Notes how a look at an agent went, and when the next one is.
-- KEYS  1 entries
--       2 health
--       3 due
--       4 meta
--       5 changed
-- ARGV  1 identifier
--       2 its health
--       3 ms until the next look
--       4 '1' where readers must know it: its state is another one
-- @include ../../../task/lua/lib/now.lua
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[3], now_ms() + ARGV[3], ARGV[1])
if ARGV[4] == '1' then redis.call('ZADD', KEYS[5], redis.call('HINCRBY', KEYS[4], 'version', 1), ARGV[1]) end
