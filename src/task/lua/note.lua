-- Writes one field beside a task (its state, or its journal of steps) for the run that holds it.
-- KEYS  1 task
--       2 hash to write
-- ARGV  1 fence
--       2 nonce
--       3 open states
--       4 field
--       5 value
--       6 TTL of the task, ms
--       7 '1' for a journal: a new entry is progress, and lost runs are counted anew
-- Returns {'OK', attempt} | {'GONE' | 'TERMINAL' | 'FENCED'}
-- @include lib/word.lua
-- @include lib/now.lua
local text = redis.call('HGET', KEYS[1], 's')
local t = text and read_word(text)
local why = refused(t, ARGV[1], ARGV[2], ARGV[3])
if why then return { why } end
keep_reserve(KEYS[1])
local is_new = redis.call('HSET', KEYS[2], ARGV[4], ARGV[5]) == 1
redis.call('PEXPIRE', KEYS[2], ARGV[6])
if is_new and ARGV[7] == '1' and t.attempt > 0 then
  t.attempt = 0
  redis.call('HSET', KEYS[1], 's', word_of(t))
end
return { 'OK', t.attempt }
