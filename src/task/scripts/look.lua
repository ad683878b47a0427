-- The sweep's look at a task whose time has come: postpones, asks for a run, or says what the task has come to.
-- Run leases of a WORKING task are judged here and nowhere else.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 open states  3 interrupted states  4 attempts allowed where the task sets no limit  5 ms until a job is missed again
--       6 cancel grace, ms  7 ms after which a task that nobody ever ran is given up
-- Returns {'LATER'} | {'RUN', fence, place in line} its job is missing | {'AGAIN', fence} its lease has ended | {'PURGE'}
--       | {'CANCEL_OVERDUE' | 'ATTEMPTS_SPENT' | 'UNANSWERED' | 'NEVER_RUN', fence}
-- @include lib/now.lua
-- @include lib/vacate.lua
local task, id, now = KEYS[1], ARGV[1], now_ms()
local f = redis.call('HMGET', task, 'state', 'fence', 'nonce', 'lease', 'cancel', 'attempts', 'vacant', 'limit', 'place')
if not f[1] then
  redis.call('ZREM', KEYS[2], id)
  return { 'LATER' }
end
-- The sweep found it due a moment ago. It may have ended since, or may wait for an answer: then its time is another.
local is_due = tonumber(redis.call('ZSCORE', KEYS[2], id) or now + 1) <= now
if not string.find(ARGV[2], ' ' .. f[1] .. ' ', 1, true) then return { is_due and 'PURGE' or 'LATER' } end
if string.find(ARGV[3], ' ' .. f[1] .. ' ', 1, true) then
  return is_due and { 'UNANSWERED', tonumber(f[2]) } or { 'LATER' }
end

if f[5] and now >= f[5] + ARGV[6] then return { 'CANCEL_OVERDUE', tonumber(f[2]) } end
if tonumber(f[4]) > now then
  redis.call('ZADD', KEYS[2], f[5] and math.min(f[4], f[5] + ARGV[6]) or f[4], id)
  return { 'LATER' }
end
if f[5] then return { 'CANCEL_OVERDUE', tonumber(f[2]) } end
if f[3] ~= '' then
  if tonumber(f[6]) >= (tonumber(f[8]) or tonumber(ARGV[4])) then return { 'ATTEMPTS_SPENT', tonumber(f[2]) } end
  return { 'AGAIN', vacate(task, KEYS[2], id, now, now + ARGV[5]) }
end
if now > f[7] + ARGV[7] then return { 'NEVER_RUN', tonumber(f[2]) } end
redis.call('ZADD', KEYS[2], now + ARGV[5], id)
return { 'RUN', tonumber(f[2]), tonumber(f[9] or 0) }
