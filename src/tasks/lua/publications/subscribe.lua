-- Adds a webhook for the published events of a tenant. Its events are stored like the log of a task, so that the
-- scripts of webhooks (src/webhooks) deliver them.
-- Input
--   webhooks_key  webhooks of the tenant
--   log_key       its log
--   push_key      its push hash
--   id
--   wanted        its selection of events
--   hook          id of the webhook in its push hash
--   record        record of the webhook
--   max_hooks     most webhooks of a tenant
-- Output
--   'FULL' | 'OK'
if redis.call('HLEN', webhooks_key) >= tonumber(max_hooks) then return 'FULL' end
redis.call('HSET', webhooks_key, id, wanted)
redis.call('HSET', log_key, field.word, 'EVENTS 0', field.hooks, hook, 'first', 1, 'bytes', 0)
redis.call('HSET', push_key, 'config:' .. hook, record, 'next:' .. hook, 1)
return 'OK'
