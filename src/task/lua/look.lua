-- The sweep's look at a task whose time has come: postpones, asks for a run, or says what the task has come to.
-- Run leases are judged here and nowhere else.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 open states  3 interrupted states  4 attempts allowed where the task sets no limit  5 ms until a job is missed again
--       6 cancel grace, ms  7 ms after which a task that nobody ever ran is given up
-- Returns {'LATER'} | {'RUN', fence, place in line} its job is missing | {'AGAIN', fence} its lease has ended | {'PURGE'}
--       | {'CANCEL_OVERDUE' | 'ATTEMPTS_SPENT' | 'UNANSWERED' | 'NEVER_RUN', fence}
-- @include lib/record.lua
-- @include lib/hold.lua
local t, id, now = read_task(KEYS[1], ARGV[1]), ARGV[1], now_ms()
if not t then
  redis.call('ZREM', KEYS[2], id)
  return { 'LATER' }
end
-- The sweep found it due a moment ago. It may have ended since, or may wait for an answer: then its time is another.
local is_due = tonumber(redis.call('ZSCORE', KEYS[2], id) or now + 1) <= now
if not is_one_of(t.state, ARGV[2]) then return { is_due and 'PURGE' or 'LATER' } end
if is_one_of(t.state, ARGV[3]) then return is_due and { 'UNANSWERED', tonumber(t.fence) } or { 'LATER' } end

local overruled_at = t.cancel ~= '' and t.cancel + ARGV[6]
if overruled_at and now >= overruled_at then return { 'CANCEL_OVERDUE', tonumber(t.fence) } end
if tonumber(t.lease) > now then
  redis.call('ZADD', KEYS[2], math.min(t.lease, overruled_at or t.lease), id)
  return { 'LATER' }
end
if overruled_at then return { 'CANCEL_OVERDUE', tonumber(t.fence) } end
if t.nonce ~= '' then
  if tonumber(t.attempts) >= (tonumber(t.limit) or tonumber(ARGV[4])) then return { 'ATTEMPTS_SPENT', tonumber(t.fence) } end
  local fence = vacate(t, KEYS[2], now, now + ARGV[5])
  save_task(t)
  return { 'AGAIN', fence }
end
if now > t.vacant + ARGV[7] then return { 'NEVER_RUN', tonumber(t.fence) } end
redis.call('ZADD', KEYS[2], now + ARGV[5], id)
return { 'RUN', tonumber(t.fence), tonumber(t.place) or 0 }
