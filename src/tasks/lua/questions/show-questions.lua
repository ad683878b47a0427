-- Sets the status of a parked root to the open questions of its tree, or to none.
-- Input
--   task_key
--   counts_key
--   history_key
--   states_key
--   outbox_key
--   open_key             owner's open tasks
--   open_of_context_key  owner's open tasks of the context
--   asking_key           roots whose questions must be shown
--   bytes_key            stored bytes
--   working_key          owner's open tasks by state, and those of the context (lib/record/relist.lua)
--   input_required_key
--   auth_required_key
--   context_working_key
--   context_input_required_key
--   context_auth_required_key
--   tenant_tasks_key            tasks of the tenant, or of the tree, by state and time
--   id                   task id
--   seen_word            expected word
--   state
--   event
--   ms                   ms of the status
--   message              status message or ''
--   nonce
--   ttl                  TTL of the task, ms
--   hints                channel of the dispatchers
--   shard
--   tenant_account       account of the tenant
--   client_account       account of the client; '' for none
--   is_shown             '1' when the state is one of questions
-- Output
--   {'OK', seq} | {'MOVED'} the task has changed since it was read | {'EARLIER', ms} as cancel.lua
-- @include ../lib/record/record.lua
-- @include ../lib/hooks/publish.lua
-- @include ../lib/record/status.lua
local t, now = read_task(task_key, id), now_ms()
if not t or t.word ~= seen_word then return { 'MOVED' } end
if ms < t.ms then return { 'EARLIER', t.ms } end
local bytes = #event + #message
redis.call('HINCRBY', t.key, field.result_bytes, bytes)
if tenant_account ~= '' then
  redis.call('HINCRBY', bytes_key, tenant_account, bytes)
  redis.call('HINCRBY', bytes_key, client_account, bytes)
end
put_status(t, { state = state, event = event, ms = ms, message = message, nonce = nonce, shown = is_shown == '1' })
redis.call('ZREM', asking_key, t.id)
publish_events(t, now, function() return t.id .. ' ' .. t.seq .. ' ' .. nonce .. ' ' .. event end)
return { 'OK', t.seq }
