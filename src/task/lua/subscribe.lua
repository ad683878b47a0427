-- Adds a webhook for the published events of a tenant. Its events are kept as the log of a task is, so that the scripts of
-- webhooks (src/push) deliver them.
-- KEYS  1 webhooks of the tenant
--       2 its log
--       3 its push hash
-- ARGV  1 id
--       2 what it wants
--       3 id of the webhook in its push hash
--       4 record of the webhook
--       5 most webhooks of a tenant
-- Returns 'FULL' | 'OK'
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then return 'FULL' end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], 's', 'EVENTS 0', 'w', ARGV[3], 'first', 1, 'bytes', 0)
redis.call('HSET', KEYS[3], 'config:' .. ARGV[3], ARGV[4], 'next:' .. ARGV[3], 1)
return 'OK'
