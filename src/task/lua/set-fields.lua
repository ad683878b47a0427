-- Sets fields beside a task (state of its skill, journal) for the run that holds it.
-- KEYS  1 task
--       2 hash to write
--       3 journal
--       4 stored bytes
-- ARGV  1 fence
--       2 nonce
--       3 open states
--       4 TTL of the task, ms
--       5 most bytes of the journal and of what the skill remembers, 6 most entries of the journal
--       7 account of the tenant, 8 account of the client; '' for none
--       9 field of the hash or '', 10 its value
--       11 … entries of the journal: name, value. A new one is progress, and lost runs are counted anew
-- Returns {'OK', attempt} | {'GONE' | 'TERMINAL' | 'FENCED'} | {'FULL'} there is no room
-- @include lib/word.lua
-- @include lib/now.lua
-- @include lib/journal.lua
local text = redis.call('HGET', KEYS[1], 's')
local t = text and read_word(text)
local why = refused(t, ARGV[1], ARGV[2], ARGV[3])
if why then return { why } end
-- How many bytes the skill's state grows. A replaced value no longer counts.
local more = 0
if ARGV[9] ~= '' and KEYS[2] ~= KEYS[1] then
  local name = redis.call('HEXISTS', KEYS[2], ARGV[9]) == 0 and #ARGV[9] or 0
  more = name + #ARGV[10] - redis.call('HSTRLEN', KEYS[2], ARGV[9])
  more = math.max(more, -tonumber(redis.call('HGET', KEYS[1], 'jb') or 0))
end
if (#ARGV > 10 or more > 0)
  and not has_journal_room(KEYS[1], KEYS[3], 11, #ARGV, { size = ARGV[5], entries = ARGV[6] }, more) then
  return { 'FULL' }
end
keep_reserve(KEYS[1])
local store = { ttl = ARGV[4], sums = KEYS[4], tenant = ARGV[7], client = ARGV[8] }
if ARGV[9] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[9], ARGV[10])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
  if more ~= 0 then count_beside(KEYS[1], more, store) end
end
if add_to_journal(KEYS[1], KEYS[3], 11, #ARGV, store) > 0 and t.attempt > 0 then
  t.attempt = 0
  redis.call('HSET', KEYS[1], 's', word_of(t))
end
return { 'OK', t.attempt }
