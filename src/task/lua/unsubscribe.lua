-- Removes a webhook for published events, and all events that it has not got.
-- KEYS  1 webhooks of the tenant
--       2 its log
--       3 its push hash
--       4 its last attempts
--       5 outbox
--       6 dead letters
--       7 their times
-- ARGV  1 id
--       2 id of the webhook in its push hash
-- Returns 'OK'
-- @include lib/letters.lua
drop_letters(KEYS[3], ARGV[1], ARGV[2], KEYS[6], KEYS[7])
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
redis.call('ZREM', KEYS[5], ARGV[1] .. ' ' .. ARGV[2])
redis.call('HDEL', KEYS[1], ARGV[1])
return 'OK'
