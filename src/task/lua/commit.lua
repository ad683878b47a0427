-- Commits the events of a run, all in one atomic step, or none of them. The run passes the expected state word and the
-- computed writes; only a cancel or a message of the owner can change the outcome.
-- Input
--   task_key
--   due_key                     open tasks by the time of their next check
--   counts_key
--   outbox_key
--   bytes_key                   stored bytes by account
--   open_key                    owner's open tasks
--   ended_key                   owner's ended tasks
--   open_of_context_key         owner's open tasks of the context
--   ended_of_context_key        owner's ended tasks of the context
--   journal_key
--   over_key                    ended tasks by the time of their purge
--   own_queue_key               fair queue of this kind of skill
--   turns_key                   positions of the queues
--   of_state_key                owner's tasks in the state that follows
--   lists …                     lists that change
--   id                          of the task
--   seen_word                   word that must be there
--   word                        that follows
--   nonce                       of these events
--   entry_before                in the lists
--   entry                       in the lists
--   is_named                    '1' when the context was named
--   ttl                         of the task, ms
--   count_before                field of the counts or ''
--   count_after                 field of the counts or ''
--   hints                       channel of the dispatchers
--   shard
--   size                        bytes, '' for none
--   tenant_account
--   client_account
--   max_journal_bytes
--   max_journal_entries
--   sequel                      'go' | 'ask' | 'next' turn | 'end' | 'end?' gives way to messages that came meanwhile
--   event_field                 of the last of these events
--   due_in                      ms until the task is due; for an end ms until its purge
--   is_listed                   '1' when tasks of this end have a list of their own
--   member                      of the queue
--   tenant
--   read_late                   late messages that the turn has read
--   removed …                   names of fields
--   fields …                    of its record: name, value
--   entries …                   of the journal: name, value
--   changes …
--     how                       'A' append or 'N' begin anew or 'S' set the head or 'P' publish or 'T' remove so many that are first
--     list                      number in lists, from 0 on
--     value
--   has_moved                   the state or its time changes
--     of_state_in_context_key   owner's tasks of the context in the state that follows
--     working_key               owner's open tasks by state, and those of the context (lib/relist.lua)
--     input_required_key
--     auth_required_key
--     context_working_key
--     context_input_required_key
--     context_auth_required_key
--     tenant_tasks_key          tasks of the tenant, or of the tree, by state and time
--   has_asked                   a child asks
--     questions_key             questions of the tree
--     asking_key                roots whose questions are to be shown
--   has_cascade                 a task with children ends
--     cascade_key               tasks whose children are to be canceled
--   has_parent                  a child ends, or its parent's log gets its progress
--     parent_key
--     parent_notes_key          notes that wait for the parent
--     note                      what the parent's log gets (lib/notes.lua), or ''
--   has_ended_child
--     children_key              the parent's children
--     held_key                  the parent's held children
--     parked_key                parked tasks
--     queue_key                 fair queue
--     limited_queue_key         fair queue of skills with a limit
--     stuck_ms                  longest wait for a run
--     elsewhere                 position that other queues serve
-- Output
--   {'OK', ms, position of the next turn in the queue or 0, runs in the fair queues after the end of a child or 0, 1 where the task
--     has used language models} | {'CANCEL' | 'LATE' | 'LOST'}
--   {'FULL'} there is no room in the journal
-- @include lib/write.lua
-- @include lib/parent.lua
-- @include lib/questions.lua
local f = redis.call('HMGET', task_key, field.word, event_field, field.has_request, field.model_use, field.reply)
if f[1] ~= seen_word then
  -- The nonce is this run's own: an event that bears it was stored by this very commit, whose reply was lost.
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

local now, ends = now_ms(), string.sub(sequel, 1, 3) == 'end'
write(ends)
local position, runs
if ends then
  redis.call('ZADD', over_key, now + due_in, id)
  if is_listed == '1' then
    redis.call('ZADD', of_state_key, 0, entry)
    if is_named == '1' then redis.call('ZADD', of_state_in_context_key, 0, entry) end
  end
else
  redis.call('ZADD', due_key, now + due_in, id)
  if sequel == 'ask' then redis.call('PEXPIRE', task_key, ttl) end
  if has_asked then note_questions(questions_key, asking_key, id, now, tonumber(ttl)) end
  if sequel == 'next' then position = join_queue(own_queue_key, turns_key, member, tenant, 0) end
end
publish_written(t, now)
local child = { key = task_key, id = id, nonce = nonce, note = note, member = member, tenant = tenant, state = string.match(word, '^%S+') }
if has_cascade then redis.call('ZADD', cascade_key, now, id) end
if has_ended_child then
  runs = end_child(child, now)
elseif has_parent then
  note_child(child, now)
end
return { 'OK', now, position or 0, runs or 0, f[4] and 1 }
