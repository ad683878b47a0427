-- Writes one field of a task or beside it (its state, or its journal of steps) for the run that holds it.
-- KEYS  1 task  2 the hash to write
-- ARGV  1 fence  2 nonce  3 open states  4 field  5 value
-- Returns 'OK' | 'GONE' | 'TERMINAL' | 'FENCED'
-- @include lib/record.lua
-- @include lib/hold.lua
local why = refused(read_task(KEYS[1], ''), ARGV[1], ARGV[2], ARGV[3])
if why then return why end
redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])
return 'OK'
