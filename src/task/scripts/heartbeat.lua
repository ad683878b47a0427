-- Keeps a run's lease alive and tells it what it should know.
-- KEYS  1 task
-- ARGV  1 fence  2 nonce  3 open states  4 lease, ms
-- Returns 'OK' | 'CANCEL' | 'GONE' | 'TERMINAL' | 'FENCED'
-- @include lib/now.lua
-- @include lib/holder.lua
local why = refused(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
if why then return why end
redis.call('HSET', KEYS[1], 'lease', now_ms() + ARGV[4])
return redis.call('HEXISTS', KEYS[1], 'cancel') == 1 and 'CANCEL' or 'OK'
