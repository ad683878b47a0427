-- Commits everything that a run has yielded and ends its task, if there is no pending request: the usual life of a task.
-- Compares the state word and replaces it; nothing is unpacked. Sending it again changes nothing.
-- Input
--   task_key
--   due_key                    open tasks by the time of their next check
--   over_key                   ended tasks by the time of their purge
--   counts_key
--   open_key                   owner's open tasks
--   ended_key                  owner's ended tasks
--   tenant_tasks_key           tasks of the tenant by state and time
--   id                         of the task
--   seen_word                  word that must be there
--   word                       that follows
--   purge_at                   ms
--   entry_before               in the lists
--   entry                      in the lists
--   count                      field of the counts
--   score                      in the tenant's tasks
--   reply                      channel or ''
--   fields …                   of its record: name, value
--   has_more                   the context was named, bytes are counted or tasks of this end have a list of their own
--     open_of_context_key      owner's open tasks of the context
--     ended_of_context_key     owner's ended tasks of the context
--     of_state_key             owner's tasks that ended in this state
--     of_state_in_context_key  owner's tasks of the context that ended in this state
--     bytes_key                stored bytes by account
--     is_named                 '1' when the context was named
--     is_listed                '1' when tasks of this end have a list of their own
--     size                     bytes, '' for none
--     tenant_account
--     client_account
-- Output
--   'OK' | 'GENERAL' there is a pending request, or use of models that no event has: commit.lua decides | 'LOST'
-- Every send calls this, so it makes only what it needs.
local call = redis.call
local f = call('HMGET', task_key, field.word, field.has_request, field.model_use)
if f[1] ~= seen_word then return f[1] == word and 'OK' or 'LOST' end
if f[2] or f[3] then return 'GENERAL' end
-- The first write frees memory: a full Redis refuses only the first write of a script, and a run must be able to end.
call('ZREM', due_key, id)
call('HSET', task_key, field.word, word, unpack(ARGV, fields_from))
call('ZADD', over_key, purge_at, id)
call('HINCRBY', counts_key, count, '1')
call('ZADD', tenant_tasks_key, score, id)
call('ZREM', open_key, entry_before)
call('ZADD', ended_key, '0', entry)
if has_more then
  if is_named == '1' then
    call('ZREM', open_of_context_key, entry_before)
    call('ZADD', ended_of_context_key, '0', entry)
  end
  if is_listed == '1' then
    call('ZADD', of_state_key, '0', entry)
    if is_named == '1' then call('ZADD', of_state_in_context_key, '0', entry) end
  end
  if size ~= '' then
    call('HINCRBY', bytes_key, tenant_account, size)
    call('HINCRBY', bytes_key, client_account, size)
  end
end
if reply == '' then return 'OK' end
-- @include lib/publish.lua
call('PUBLISH', reply, lines_of(id, fields_from, fields_to))
return 'OK'
