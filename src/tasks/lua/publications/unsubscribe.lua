-- Removes a webhook for published events, with its undelivered events.
-- Input
--   webhooks_key    webhooks of the tenant
--   log_key         its log
--   push_key        its push hash
--   attempts_key    its last attempts
--   outbox_key
--   dead_key        dead letters
--   dead_times_key  times of dead letters
--   id
--   hook            id of the webhook in its push hash
-- Output
--   'OK'
-- @include ../lib/record/letters.lua
drop_letters(push_key, id, hook, dead_key, dead_times_key)
redis.call('DEL', log_key, push_key, attempts_key)
redis.call('ZREM', outbox_key, id .. ' ' .. hook)
redis.call('HDEL', webhooks_key, id)
return 'OK'
