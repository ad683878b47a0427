-- Takes back questions of a task whose time is over, unless they have been answered meanwhile.
-- KEYS  1 task
--       2 questions of its tree
--       3 roots whose questions are to be shown
-- ARGV  1 task id
--       2 its questions as they were read
--       3 those that are left, '' for none
-- Returns 1 | 0 its questions are others now
local now = redis.call('TIME')[1] * 1000
if (redis.call('HGET', KEYS[1], 'qs') or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], 'qs') else redis.call('HSET', KEYS[1], 'qs', ARGV[3]) end
if ARGV[3] == '' then redis.call('HDEL', KEYS[2], ARGV[1]) end
redis.call('ZADD', KEYS[3], now, string.match(KEYS[2], '([^:]+):questions$'))
return 1
