-- Stores a new task with its first event and the wish to run, or finds the task that the same message made before.
-- KEYS  1 task  2 due  3 index  4 sent: the mark of this message
-- ARGV  1 task id  2 hash of the request  3 TTL of the mark, ms  4 nonce  5 first event  6 first message
--       7 '' to run it, or the retention in ms of a task that is born terminal
--       8 ms until the sweep looks whether a job was added  9 id of its webhook, or ''  10 the webhook
--       11 … the task's fields: name, value, name, value
-- Returns {'CREATED', seq, fence, place in line} | {'SENT', '<task id> <hash>'}
-- @include lib/now.lua
-- @include lib/emit.lua
-- @include lib/index.lua
-- @include lib/line.lua
-- @include lib/states.lua
-- @include lib/finish.lua
-- @include lib/vacate.lua
local task, id = KEYS[1], ARGV[1]
local sent = redis.call('GET', KEYS[4])
if sent then return { 'SENT', sent } end

redis.call('SET', KEYS[4], id .. ' ' .. ARGV[2], 'PX', ARGV[3])
redis.call('HSET', task, 'sent', KEYS[4], unpack(ARGV, 11))
redis.call('RPUSH', task .. ':history', ARGV[6])
redis.call('RPUSH', task .. ':inbox', ARGV[6])
if ARGV[9] ~= '' then
  redis.call('HSET', task, 'hooks', ARGV[9])
  redis.call('HSET', task .. ':push', 'config:' .. ARGV[9], ARGV[10], 'next:' .. ARGV[9], 1)
end
local f = redis.call('HMGET', task, 'owner', 'context', 'state', 'ms', 'skill', 'ts')
passed(task, f[3], f[6])
reindex(KEYS[3], id, f[1], f[2], f[3], f[4])
count(KEYS[3], f[5], f[3], 1)
local seq = emit(task, id, ARGV[4], ARGV[5])
if ARGV[7] ~= '' then
  finish(task, KEYS[2], id, now_ms(), tonumber(ARGV[7]))
  return { 'CREATED', seq, 0 }
end
return { 'CREATED', seq, vacate(task, KEYS[2], id, now_ms(), now_ms() + ARGV[8]), join_line(task) }
