-- Stores a task that is rejected at creation, since no skill accepts it. Returns the existing task if the same message
-- has created one before.
-- Input
--   sent_key                 mark of the message
--   task_key
--   over_key                 ended tasks by the time of their purge
--   counts_key
--   ended_key                owner's ended tasks
--   ended_of_context_key     owner's ended tasks of the context
--   of_state_key             owner's tasks that ended in this state
--   of_state_in_context_key  owner's tasks of the context that ended in this state
--   tenant_tasks_key         tasks of the tenant by state and time
--   bytes_key                stored bytes by account
--   push_key                 webhooks of the task
--   outbox_key
--   id                       of the task
--   request_hash
--   mark_ttl                 ms
--   nonce                    of the event
--   word
--   kept_ms                  until the purge
--   ttl                      of the task, ms
--   entry                    in the lists
--   is_named                 '1' when the context was named
--   count                    field of the counts
--   size                     bytes, '' for none
--   tenant_account
--   client_account
--   hook                     id of its webhook or ''
--   record                   of the webhook
--   hints                    channel of the dispatchers
--   shard
--   fields …                 of the task except its word: name, value
-- Output
--   {'CREATED', ms} | {'SENT', '<task id> <hash>'}
-- @include ../lib/run/now.lua
-- @include ../lib/hooks/outbox.lua
-- @include ../lib/hooks/bring.lua
-- @include ../lib/record/end.lua
local now = now_ms()
if not redis.call('SET', sent_key, id .. ' ' .. request_hash, 'NX', 'PX', mark_ttl) then
  local sent, first = redis.call('GET', sent_key), redis.call('HGET', task_key, field.event .. '1')
  local is_own = first and string.sub(first, 1, #nonce + 1) == nonce .. ' '
  return is_own and { 'CREATED', now } or { 'SENT', sent }
end
redis.call('HSET', task_key, field.word, word, unpack(ARGV, fields_from))
redis.call('PEXPIRE', task_key, ttl)
redis.call('HINCRBY', counts_key, '- begun', 1)
redis.call('HINCRBY', counts_key, count, 1)
list_ended(id, word, entry, { purge_at = now + kept_ms, named = is_named == '1', listed = true })
bring(now)
return { 'CREATED', now }
