-- Cancels a task for its owner: at once if no worker runs it, else by a cancel request to the worker, which the sweep
-- enforces after a grace period.
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
--   owner                       the caller
--   grace_ms                    for the worker
--   has_child
--     parent_key                its parent
--     parent_notes_key          notes that wait for the parent
--     children_key              the parent's children
--     held_key                  the parent's held children
--     note                      note of the end for the parent's log, or ''
-- Output
--   {'NOT_FOUND'} | {'TERMINAL', state} | {'CANCELED', seq, rev}
--   {'REQUESTED', seq, rev} it ends once its run has stopped, or its work is undone
--   {'EARLIER', ms} the status would be older than the one before
-- @include ../lib/record/record.lua
-- @include ../lib/record/end_outside.lua
local t, now = read_task_of(owner, task_key, id), now_ms()
if not t then return { 'NOT_FOUND' } end
if not is_one_of(t.state, from_states) then return { 'TERMINAL', t.state } end
if redis.call('HEXISTS', task_key, field.ending) == 1 then
  return { 'REQUESTED', t.seq, tonumber(redis.call('HGET', task_key, field.changes) or 0) }
end

local due = tonumber(redis.call('ZSCORE', due_key, t.id) or 0)
if t.nonce ~= '-' and not is_parked(t) and due > now then
  local rev
  if t.cancel == '' then
    keep_reserve(task_key)
    -- The caller of a cancel waits for the end, at least a minute.
    redis.call('HSET', task_key, field.cancel, now, field.has_request, '1', field.watched, now + 60000)
    rev = redis.call('HINCRBY', task_key, field.changes, 1)
    cancel_children(t, now)
    redis.call('ZADD', due_key, math.min(due, now + grace_ms), t.id)
  else
    -- The first cancel may have been made and reported as failed, because no replica had it.
    rev = tonumber(redis.call('HGET', task_key, field.changes) or 0)
  end
  redis.call('PUBLISH', t.worker, 'cancel ' .. t.id .. ' ' .. t.fence)
  return { 'REQUESTED', t.seq, rev }
end
if ms < t.ms then return { 'EARLIER', t.ms } end
if undoes_first(t, now) then return { 'REQUESTED', t.seq, redis.call('HINCRBY', task_key, field.changes, 1) } end
end_task(t, now)
return { 'CANCELED', t.seq, 0 }
