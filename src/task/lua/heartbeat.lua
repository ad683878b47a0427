-- Keeps a run's lease alive and tells it what it should know.
-- KEYS  1 task
-- ARGV  1 fence  2 nonce  3 open states  4 lease, ms
-- Returns 'OK' | 'CANCEL' | 'GONE' | 'TERMINAL' | 'FENCED'
-- @include lib/record.lua
-- @include lib/hold.lua
local t = read_task(KEYS[1], '')
local why = refused(t, ARGV[1], ARGV[2], ARGV[3])
if why then return why end
redis.call('HSET', t.key, 'lease', now_ms() + ARGV[4])
return t.cancel == '' and 'OK' or 'CANCEL'
