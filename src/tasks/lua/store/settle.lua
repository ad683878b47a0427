-- Ends a task from outside of its run, unless the task has changed since it was read.
-- Input
--   task_key
--   due_key                     open tasks by the time of their next check
--   queue_key                   fair queue
--   limited_queue_key           fair queue of skills with a limit
--   turns_key                   positions of the queues
--   counts_key
--   history_key                 its later messages
--   states_key                  its states
--   outbox_key
--   over_key                    ended tasks by the time of their purge
--   open_key                    owner's open tasks
--   ended_key                   owner's ended tasks
--   open_of_context_key         owner's open tasks of the context
--   ended_of_context_key        owner's ended tasks of the context
--   of_state_key                owner's tasks that ended in this state
--   parked_key                  parked tasks
--   cascade_key                 tasks whose children must be canceled
--   of_state_in_context_key     owner's tasks of the context that ended in this state
--   working_key                 owner's open tasks by state, and those of the context (lib/record/relist.lua)
--   input_required_key
--   auth_required_key
--   context_working_key
--   context_input_required_key
--   context_auth_required_key
--   tenant_tasks_key            tasks of the tenant, or of the tree, by state and time
--   id                          of the task
--   nonce                       of the event
--   from_states                 states that may end so
--   state                       terminal state
--   event
--   ms                          of the status
--   message                     status message or ''
--   kept_ms                     until the purge
--   ttl                         of the task, ms
--   hints                       channel of the dispatchers
--   shard
--   stuck_ms                    longest wait for a run
--   elsewhere                   position that other queues serve
--   waiting_states              states that questions interrupt
--   fence
--   has_child
--     parent_key                its parent
--     parent_notes_key          notes that wait for the parent
--     children_key              the parent's children
--     held_key                  the parent's held children
--     note                      note of the end for the parent's log, or ''
-- Output
--   {'SETTLED', seq} | {'UNDOES'} it ends once its work is undone | {'MOVED'}
--   {'EARLIER', ms} the status would be older than the one before
-- @include ../lib/record/record.lua
-- @include ../lib/record/end_outside.lua
local t = read_task(task_key, id)
if not t or t.fence ~= tonumber(fence) or not is_one_of(t.state, from_states) then return { 'MOVED' } end
if ms < t.ms then return { 'EARLIER', t.ms } end
local now = now_ms()
if undoes_first(t, now) then return { 'UNDOES' } end
end_task(t, now)
return { 'SETTLED', t.seq }
