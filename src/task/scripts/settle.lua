-- Ends a task from outside of its run, unless it has moved since it was looked at.
-- KEYS  1 task  2 due  3 index
-- ARGV  1 task id  2 fence  3 nonce  4 states that may end so  5 terminal state  6 event's tail
--       7 timestamp  8 the same in ms  9 status message  10 retention, ms
-- Returns {'SETTLED', seq} | {'MOVED'}
-- @include lib/now.lua
-- @include lib/emit.lua
-- @include lib/index.lua
-- @include lib/enter.lua
-- @include lib/line.lua
-- @include lib/finish.lua
local task, id = KEYS[1], ARGV[1]
local f = redis.call('HMGET', task, 'state', 'fence', 'head')
if not f[1] or f[2] ~= ARGV[2] or not string.find(ARGV[4], ' ' .. f[1] .. ' ', 1, true) then return { 'MOVED' } end
enter(task, KEYS[3], id, ARGV[5], ARGV[7], ARGV[8], ARGV[9])
local seq = emit(task, id, ARGV[3], f[3] .. ARGV[6])
finish(task, KEYS[2], id, now_ms(), tonumber(ARGV[10]))
return { 'SETTLED', seq }
