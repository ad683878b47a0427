-- Replaces a reservation by what was used.
-- KEYS  as reserve.lua
-- ARGV  1 id of the reservation
--       2 tokens that were used
--       3 micros of money that they cost
--       4 day of the reservation
-- Returns 1 | 0 it is settled already
local reserved = redis.call('HGET', KEYS[1], 'r:' .. ARGV[1])
if not reserved then return 0 end
local tokens, micros = string.match(reserved, '^(%d+) (%d+)$')
redis.call('HDEL', KEYS[1], 'r:' .. ARGV[1])
redis.call('HINCRBY', KEYS[1], 'tokens', ARGV[2] - tokens)
redis.call('HINCRBY', KEYS[1], 'micros', ARGV[3] - micros)
redis.call('HINCRBY', KEYS[2], ARGV[4] .. ' tokens', ARGV[2] - tokens)
redis.call('HINCRBY', KEYS[2], ARGV[4] .. ' micros', ARGV[3] - micros)
return 1
