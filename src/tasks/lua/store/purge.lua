-- Deletes a task with all its keys and entries.
-- Input
--   task_key
--   due_key                     open tasks by the time of their next check
--   queue_key                   fair queue
--   limited_queue_key           fair queue of skills with a limit
--   turns_key                   positions of the queues
--   counts_key
--   over_key                    ended tasks by the time of their purge
--   outbox_key
--   bytes_key                   stored bytes by account
--   sent_key                    mark of its message
--   push_key                    its webhooks
--   dead_key                    dead letters
--   dead_times_key              times of dead letters
--   parked_key                  parked tasks
--   open_key                    owner's open tasks
--   ended_key                   owner's ended tasks
--   open_of_context_key         owner's open tasks of the context
--   ended_of_context_key        owner's ended tasks of the context
--   of_state_key                owner's tasks that ended in this state
--   of_state_in_context_key     owner's tasks of the context that ended in this state
--   working_key                 owner's open tasks by state, and those of the context (lib/record/relist.lua)
--   input_required_key
--   auth_required_key
--   context_working_key
--   context_input_required_key
--   context_auth_required_key
--   tenant_tasks_key            tasks of the tenant, or of the tree, by state and time
--   parts …                     all other keys of the task
--   id                          of the task
--   states                      states in which it may be deleted, or '*' for any
--   seen_state                  its state as read
--   seen_names                  names of its artifacts as read
-- Output
--   1 | 0 it is in another state | 2 it has changed since it was read
-- @include ../lib/record/record.lua
-- @include ../lib/queue/leave_queues.lua
-- @include ../lib/record/bytes.lua
-- @include ../lib/record/letters.lua
local t = read_task(task_key, id)
if not t then
  for _, key in ipairs({ due_key, over_key, parked_key, tenant_tasks_key }) do redis.call('ZREM', key, id) end
  return 1
end
if states ~= '*' and not is_one_of(t.state, states) then return 0 end
local f = redis.call('HMGET', task_key, field.artifact_names, field.message_bytes, field.result_bytes, field.journal_bytes)
if t.state ~= seen_state or (f[1] or '') ~= seen_names then return 2 end
leave_queues(t, false)
for _, key in ipairs({ due_key, over_key, parked_key, tenant_tasks_key }) do redis.call('ZREM', key, id) end
for _, key in ipairs({ open_key, ended_key, open_of_context_key, ended_of_context_key, of_state_key, of_state_in_context_key, working_key,
  input_required_key, auth_required_key, context_working_key, context_input_required_key, context_auth_required_key }) do
  redis.call('ZREM', key, t.ms .. ':' .. id)
end
for _, name in ipairs({ 'begun', t.state ~= 'TASK_STATE_SUBMITTED' and t.state or nil }) do
  uncount(counts_key, t.skill .. ' ' .. name)
end
count_for(t.traits, bytes_key, -((f[2] or 0) + (f[3] or 0) + (f[4] or 0)))
for hook in string.gmatch(t.hooks, '%S+') do
  redis.call('ZREM', outbox_key, id .. ' ' .. hook)
  drop_letters(push_key, id, hook, dead_key, dead_times_key)
end
redis.call('DEL', task_key, unpack(KEYS, parts_from))
-- A failover may have lost the mark, and the same message may have begun another task.
local sent = redis.call('GET', sent_key)
if sent and string.sub(sent, 1, #id) == id then redis.call('DEL', sent_key) end
return 1
