-- Cancels a task for its owner: at once when nobody runs it, else by telling the worker, whom the sweep overrules
-- after a grace.
-- KEYS  1 task  2 due  3 index
-- ARGV  1 task id  2 owner  3 nonce  4 states that may be canceled  5 state CANCELED  6 event's tail
--       7 timestamp  8 the same in ms  9 status message  10 grace, ms  11 retention, ms
-- Returns {'NOT_FOUND'} | {'TERMINAL', state} | {'CANCELED', seq} | {'REQUESTED', seq}
-- @include lib/now.lua
-- @include lib/emit.lua
-- @include lib/index.lua
-- @include lib/enter.lua
-- @include lib/line.lua
-- @include lib/finish.lua
local task, id = KEYS[1], ARGV[1]
local f = redis.call('HMGET', task, 'state', 'owner', 'lease', 'worker', 'fence', 'head', 'seq')
if not f[1] or f[2] ~= ARGV[2] then return { 'NOT_FOUND' } end
if not string.find(ARGV[4], ' ' .. f[1] .. ' ', 1, true) then return { 'TERMINAL', f[1] } end

local now = now_ms()
if tonumber(f[3]) > now then
  if redis.call('HSETNX', task, 'cancel', now) == 1 then redis.call('ZADD', KEYS[2], now + ARGV[10], id) end
  redis.call('PUBLISH', f[4], 'cancel ' .. id .. ' ' .. f[5])
  return { 'REQUESTED', tonumber(f[7]) }
end
enter(task, KEYS[3], id, ARGV[5], ARGV[7], ARGV[8], ARGV[9])
local seq = emit(task, id, ARGV[3], f[6] .. ARGV[6])
finish(task, KEYS[2], id, now, tonumber(ARGV[11]))
return { 'CANCELED', seq }
