-- Stores a new task with its first event. Claims its run for the caller if the fair queue is empty; otherwise the run
-- enters the queue. Returns the existing task if the same message has created one before.
-- Input
--   sent_key               mark of the message
--   task_key
--   due_key                open tasks by the time of their next check
--   own_queue_key          fair queue of this kind of skill
--   turns_key              positions of the queues
--   counts_key
--   open_key               owner's open tasks
--   tenant_tasks_key       tasks of the tenant by state and time
--   id                     of the task
--   request_hash
--   mark_ttl               ms
--   nonce                  of the event
--   claimed_word           word when the caller claims the run, '' when it must not
--   waiting_word           word when the run waits
--   lease_ms
--   stuck_ms               longest wait for a run
--   ttl                    of the task, ms
--   entry                  in the lists, '<ms>:<id>'
--   member                 of the queue
--   tenant
--   elsewhere              position that other queues serve
--   count                  field of the counts
--   reply                  channel or '', stored if the run waits
--   score                  in the tenant's tasks
--   fields …               of the task except its word: name, value.
--   has_more               the context was named, bytes are counted or the task has a webhook
--     open_of_context_key  owner's open tasks of the context
--     bytes_key            stored bytes by account
--     push_key             webhooks of the task
--     outbox_key
--     is_named             '1' when the context was named
--     size                 bytes, '' for none
--     tenant_account
--     client_account
--     hook                 id of its webhook or ''
--     record               of the webhook
--     hints                channel of the dispatchers
--     shard
-- Output
--   {'CLAIMED', ms} | {'CREATED', ms, position[, position served]} | {'SENT', '<task id> <hash>'}
-- Every send calls this: files that only some tasks need are included in their branches, and globals, which are looked
-- up by name, are locals.
local call = redis.call
-- @include ../lib/run/now.lua
if not call('SET', sent_key, id .. ' ' .. request_hash, 'NX', 'PX', mark_ttl) then
  -- The nonce is unique to this call: a task with it in its first event was created by this call, whose reply was lost.
  local sent, own = call('GET', sent_key), call('HMGET', task_key, field.event .. '1', field.word)
  if not own[1] or string.sub(own[1], 1, #nonce + 1) ~= nonce .. ' ' then return { 'SENT', sent } end
  return { own[2] == claimed_word and 'CLAIMED' or 'CREATED', now_ms(), 0 }
end
local now, claims = now_ms(), claimed_word ~= '' and call('EXISTS', own_queue_key) == 0
call('HSET', task_key, field.word, claims and claimed_word or waiting_word, unpack(ARGV, fields_from))
call('PEXPIRE', task_key, ttl)
call('ZADD', due_key, now + (claims and lease_ms or stuck_ms), id)
call('ZADD', open_key, '0', entry)
call('HINCRBY', counts_key, count, '1')
call('ZADD', tenant_tasks_key, score, id)
if has_more then
-- @include ../lib/hooks/outbox.lua
-- @include ../lib/hooks/bring.lua
  if is_named == '1' then call('ZADD', open_of_context_key, '0', entry) end
  bring(now)
end
if claims then return { 'CLAIMED', now } end
if reply ~= '' then call('HSET', task_key, field.reply, reply) end
-- @include ../lib/queue/fair_queue.lua
local position, served = join_queue(own_queue_key, turns_key, member, tenant, elsewhere)
return { 'CREATED', now, position, served }
