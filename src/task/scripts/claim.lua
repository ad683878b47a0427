-- Gives a run to a worker: once per fence. A task that is not WORKING yet becomes so.
-- KEYS  1 task  2 due  3 index
-- ARGV  1 task id  2 fence  3 nonce  4 worker's channel  5 lease, ms  6 states that may become WORKING
--       7 WORKING event's tail (what follows the context id)  8 timestamp  9 the same in ms  10 state WORKING
--       11 interrupted states: no run is wanted, whatever a job says  12 … the fields to return
-- Returns {'GONE' | 'TERMINAL' | 'STALE'} | {'CLAIMED', seq, {value, …}, inbox, history}
-- @include lib/now.lua
-- @include lib/emit.lua
-- @include lib/index.lua
-- @include lib/enter.lua
-- @include lib/line.lua
local task, id = KEYS[1], ARGV[1]
local f = redis.call('HMGET', task, 'state', 'fence', 'nonce', 'head')
if not f[1] then return { 'GONE' } end
if not string.find(ARGV[6], ' ' .. f[1] .. ' ', 1, true) then return { 'TERMINAL' } end
if f[2] ~= ARGV[2] then return { 'STALE' } end
-- The nonce is made for one claim: a task that has it was claimed by this very call, whose reply was lost.
local again = f[3] == ARGV[3]
if f[3] ~= '' and not again then return { 'STALE' } end
if string.find(ARGV[11], ' ' .. f[1] .. ' ', 1, true) then return { 'STALE' } end

leave_line(task, true)
local lease = now_ms() + ARGV[5]
redis.call('HSET', task, 'nonce', ARGV[3], 'lease', lease, 'worker', ARGV[4], 'taken', redis.call('LLEN', task .. ':inbox'))
if not again then redis.call('HINCRBY', task, 'attempts', 1) end
redis.call('ZADD', KEYS[2], lease, id)
local seq = tonumber(redis.call('HGET', task, 'seq'))
if f[1] ~= ARGV[10] then
  enter(task, KEYS[3], id, ARGV[10], ARGV[8], ARGV[9], '')
  seq = emit(task, id, ARGV[3], f[4] .. ARGV[7])
end
return { 'CLAIMED', seq, redis.call('HMGET', task, unpack(ARGV, 12)), redis.call('LRANGE', task .. ':inbox', 0, -1),
  redis.call('LRANGE', task .. ':history', 0, -1) }
