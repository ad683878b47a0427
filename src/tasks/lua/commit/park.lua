-- Parks a task: commits the events and the journal of its run, and releases the run. No process holds any part of it:
-- it is due when its wait ends, and wake.lua or a message puts it into the fair queue. Checks for messages that arrived
-- meanwhile in the same script, so that no wake-up is lost.
-- Input
--   task_key
--   due_key                     open tasks by the time of their next check
--   counts_key
--   outbox_key
--   bytes_key                   stored bytes by account
--   open_key                    owner's open tasks
--   open_of_context_key         owner's open tasks of the context
--   journal_key
--   tenant_tasks_key            tasks of the tenant, or of the tree, by state and time
--   parked_key                  parked tasks
--   notes_key                   notes that wait for it
--   questions_key               questions of its tree
--   asking_key                  roots whose questions must be shown
--   lists …                     lists that change
--   parts …                     all other keys of the task
--   id                          of the task
--   seen_word                   expected word
--   word                        resulting word
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
--   till                        ms at which the wait ends
--   known_late                  late messages known to the run, or '-' when none ends its wait
--   known_settled               settled fan-outs known to it, or '-'
--   known_answered              its answered questions known to it, or '-' when it asks none
--   known_hints                 hints known to it, or '-' when none ends its wait
--   root                        of its tree
--   removed …                   names of fields
--   fields …                    of its record: name, value
--   entries …                   of the journal: name, value
--   changes …
--     how                       'A' append | 'N' restart | 'S' set the head | 'P' publish | 'T' remove this many from the front
--     list                      number in lists, from 0 on
--     value
--   has_moved                   the state or its time changes
--     working_key               owner's open tasks by state, and those of the context (lib/record/relist.lua)
--     input_required_key
--     auth_required_key
--     context_working_key
--     context_input_required_key
--     context_auth_required_key
--   has_parent                  its progress is written to its parent's log
--     parent_key
--     parent_notes_key          notes that wait for the parent
--     note                      note for the parent's log (lib/tree/notes.lua)
-- Output
--   {'OK', ms, 1 if the task has used language models} | {'CANCEL' | 'LOST'}
--   {'AGAIN'} there are messages, ends of children, answers or hints unknown to the run
--   {'FULL'} there is no room in the journal
-- @include ../lib/run/write.lua
-- @include ../lib/tree/questions.lua
-- @include ../lib/tree/notes.lua
local f = redis.call('HMGET', task_key, field.word, field.model_use)
-- The stored word is the one written by this call: it was sent before, and its reply was lost.
if f[1] == word then return { 'OK', now_ms(), f[2] and 1 } end
if f[1] ~= seen_word then return { 'LOST' } end
local requests = redis.call('HMGET', task_key, field.reply, field.cancel, field.inbox, field.watched, field.hooks, field.settled_groups,
  field.answered, field.hints)
if requests[2] then return { 'CANCEL' } end
local function has_more(known, found) return known ~= '-' and tonumber(found or 0) > tonumber(known) end
if has_more(known_late, string.match(requests[3] or '0', '%d+$')) or has_more(known_settled, requests[6])
  or has_more(known_answered, requests[7]) or has_more(known_hints, requests[8]) then
  return { 'AGAIN' }
end
if not has_room() then return { 'FULL' } end
local t = { key = task_key, id = id, used = f[2], reply = requests[1] or '', watched = requests[4] or '', hooks = requests[5] or '' }

local now = now_ms()
keep_reserve(task_key)
write_record()
move_in_lists()
-- Another process may wake the task: subscribers here need its events from then on.
redis.call('HSET', task_key, field.has_request, '1', field.watched, now + 60000)
redis.call('ZADD', due_key, till, id)
redis.call('ZADD', parked_key, till, id)
-- A task may wait again and again: the TTLs of its other keys are renewed with its own.
redis.call('PEXPIRE', task_key, ttl)
for at = parts_from, parts_to do redis.call('PEXPIRE', KEYS[at], ttl) end
if known_answered ~= '-' then
  note_questions(questions_key, asking_key, id, now, tonumber(ttl))
elseif root == id and redis.call('EXISTS', questions_key) == 1 then
  redis.call('ZADD', asking_key, now, root)
end
publish_written(t, now)
if string.match(word, '^TASK_STATE_WORKING ') and redis.call('EXISTS', notes_key) == 1 then
  append_notes(task_key, notes_key, now, {})
end
if has_parent then note_child({ key = task_key, nonce = nonce, note = note }, now) end
return { 'OK', now, f[2] and 1 }
