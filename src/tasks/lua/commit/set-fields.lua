-- Sets fields beside a task (state of its skill, journal) for the run that holds it.
-- Input
--   task_key
--   hash_key             hash to write
--   journal_key
--   bytes_key            stored bytes
--   fence
--   nonce
--   open_states
--   ttl                  TTL of the task, ms
--   max_journal_bytes    most bytes of the journal and of the skill's state
--   max_journal_entries  most entries of the journal
--   tenant_account       account of the tenant
--   client_account       account of the client; '' for none
--   name                 field of the hash or ''
--   value                its value
--   entries …            entries of the journal: name, value. A new one is progress, and restarts the count of lost runs
-- Output
--   {'OK', attempt} | {'GONE' | 'TERMINAL' | 'FENCED'} | {'FULL'} there is no room
-- @include ../lib/record/word.lua
-- @include ../lib/run/now.lua
-- @include ../lib/run/journal.lua
local text = redis.call('HGET', task_key, field.word)
local t = text and read_word(text)
local why = refused(t, fence, nonce, open_states)
if why then return { why } end
-- The growth of the skill's state in bytes. A replaced value no longer counts.
local more = 0
if name ~= '' and hash_key ~= task_key then
  local of_name = redis.call('HEXISTS', hash_key, name) == 0 and #name or 0
  more = of_name + #value - redis.call('HSTRLEN', hash_key, name)
  more = math.max(more, -tonumber(redis.call('HGET', task_key, field.journal_bytes) or 0))
end
if (entries_to >= entries_from or more > 0)
  and not has_journal_room(task_key, journal_key, entries_from, entries_to, more) then
  return { 'FULL' }
end
keep_reserve(task_key)
if name ~= '' then
  redis.call('HSET', hash_key, name, value)
  redis.call('PEXPIRE', hash_key, ttl)
  if more ~= 0 then count_beside(task_key, more) end
end
if add_to_journal(task_key, journal_key, entries_from, entries_to) > 0 and t.attempt > 0 then
  t.attempt = 0
  redis.call('HSET', task_key, field.word, word_of(t))
end
return { 'OK', t.attempt }
