-- Commits the events of a run in one atomic step, all or none. The run passes the expected state word and the computed
-- writes; only a cancel or a message of the owner can change the outcome.
-- Input
--   task_key
--   due_key                     open tasks by the time of their next check
--   over_key                    ended tasks by the time of their purge
--   counts_key
--   outbox_key
--   open_key                    owner's open tasks
--   ended_key                   owner's ended tasks
--   tenant_tasks_key            tasks of the tenant, or of the tree, by state and time
--   lists …                     lists that change
--   id                          of the task
--   seen_word                   expected word
--   word                        resulting word
--   nonce                       of these events
--   sequel                      'go' | 'ask' | 'next' turn | 'end' | 'end?' yields to messages that arrived meanwhile
--   event_field                 of the last of these events
--   due_in                      ms until the task is due; for an end ms until its purge
--   read_late                   late messages read by the turn
--   entry_before                in the lists
--   entry                       in the lists
--   count_before                field of the counts or ''
--   count_after                 field of the counts or ''
--   hints                       channel of the dispatchers
--   shard
--   removed …                   names of fields
--   fields …                    of its record: name, value
--   entries …                   of the journal: name, value
--   changes …
--     how                       'A' append | 'N' restart | 'S' set the head | 'P' publish | 'T' remove this many from the front
--     list                      number in lists, from 0 on
--     value
--   has_more                    the context was named, bytes are counted, or tasks of this end have a list of their own
--     open_of_context_key       owner's open tasks of the context
--     ended_of_context_key      owner's ended tasks of the context
--     of_state_key              owner's tasks in the resulting state
--     of_state_in_context_key   those of the context
--     bytes_key                 stored bytes by account
--     is_named                  '1' when the context was named
--     is_listed                 '1' when tasks of this end have a list of their own
--     size                      bytes, '' for none
--     tenant_account
--     client_account
--   has_general                 not the usual life of a task, which ends alone with its first commit
--     journal_key
--     own_queue_key             fair queue of this kind of skill
--     turns_key                 positions of the queues
--     ttl                       of the task, ms
--     max_journal_bytes
--     max_journal_entries
--     member                    of the queue
--     tenant
--   has_moved                   the state or its time changes
--     working_key               owner's open tasks by state, and those of the context (lib/record/relist.lua)
--     input_required_key
--     auth_required_key
--     context_working_key
--     context_input_required_key
--     context_auth_required_key
--   has_asked                   a child asks
--     questions_key             questions of the tree
--     asking_key                roots whose questions must be shown
--   has_cascade                 a task with children ends
--     cascade_key               tasks whose children must be canceled
--   has_parent                  a child ends, or its progress is written to its parent's log
--     parent_key
--     parent_notes_key          notes that wait for the parent
--     note                      note for the parent's log (lib/tree/notes.lua), or ''
--   has_ended_child
--     children_key              the parent's children
--     held_key                  the parent's held children
--     parked_key                parked tasks
--     queue_key                 fair queue
--     limited_queue_key         fair queue of skills with a limit
--     stuck_ms                  longest wait for a run
--     elsewhere                 position that other queues serve
-- Output
--   {'OK', ms, position of the next turn in the queue or 0, runs in the fair queues after the end of a child or 0, 1 if the task
--     has used language models[, fence of its parent, which this process notifies]} | {'CANCEL' | 'LATE' | 'LOST'}
--   {'FULL'} there is no room in the journal
-- Every send calls this: includes that the usual life of a task does not need come after its end.
-- @include ../lib/run/write.lua
-- @include ../lib/record/end.lua
local f = redis.call('HMGET', task_key, field.word, event_field, field.has_request, field.model_use, field.reply)
if f[1] ~= seen_word then
  -- The nonce is this run's own: an event with it was stored by this very commit, whose reply was lost.
  local was_made = f[2] and string.sub(f[2], 1, #nonce + 1) == nonce .. ' '
  return was_made and { 'OK', now_ms(), 0, 0, f[4] and 1 } or { 'LOST' }
end
local t = { key = task_key, id = id, watched = '', reply = f[5] or '', hooks = '', used = f[4] }
if f[3] then
  local requests = redis.call('HMGET', task_key, field.cancel, field.inbox, field.watched, field.hooks)
  if requests[1] then return { 'CANCEL' } end
  if sequel == 'end?' and tonumber(string.match(requests[2] or '0', '%d+$')) > tonumber(read_late) then return { 'LATE' } end
  t.watched, t.hooks = requests[3] or '', requests[4] or ''
end
if not has_room() then return { 'FULL' } end

local now = now_ms()
if string.sub(sequel, 1, 3) == 'end' then
  -- The first write of a script that ends work must be accepted by a full Redis (keep_reserve).
  redis.call('ZREM', due_key, id)
  write_record()
  unlist_open(string.match(seen_word, '^%S+'), entry_before, is_named == '1')
  list_ended(id, word, entry, { purge_at = now + due_in, named = is_named == '1', listed = is_listed == '1' })
else
  keep_reserve(task_key)
  write_record()
  move_in_lists()
  redis.call('ZADD', due_key, now + due_in, id)
end
publish_written(t, now)
if not has_general then return { 'OK', now, 0, 0, f[4] and 1 } end

-- @include ../lib/tree/parent.lua
-- @include ../lib/tree/questions.lua
if sequel == 'ask' then redis.call('PEXPIRE', task_key, ttl) end
if has_asked then note_questions(questions_key, asking_key, id, now, tonumber(ttl)) end
local position = sequel == 'next' and join_queue(own_queue_key, turns_key, member, tenant, 0) or 0
local child = { key = task_key, id = id, nonce = nonce, note = note, member = member, tenant = tenant, state = string.match(word, '^%S+'), is_own = true }
if has_cascade then redis.call('ZADD', cascade_key, now, id) end
local runs, fence = 0, nil
if has_ended_child then
  runs, fence = end_child(child, now)
elseif has_parent then
  note_child(child, now)
end
return { 'OK', now, position, runs, f[4] and 1, fence }
