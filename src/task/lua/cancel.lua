-- Cancels a task for its owner: at once when nobody runs it, else by telling the worker, whom the sweep overrules
-- after a grace.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 owner  3 nonce  4 states that may be canceled  5 state CANCELED  6 event's tail
--       7 timestamp  8 the same in ms  9 status message  10 grace, ms  11 retention, ms
-- Returns {'NOT_FOUND'} | {'TERMINAL', state} | {'CANCELED', seq} | {'REQUESTED', seq}
-- @include lib/record.lua
-- @include lib/hold.lua
-- @include lib/line.lua
-- @include lib/enter.lua
-- @include lib/finish.lua
local t, now = read_task_of(ARGV[2], KEYS[1], ARGV[1]), now_ms()
if not t then return { 'NOT_FOUND' } end
if not is_one_of(t.state, ARGV[4]) then return { 'TERMINAL', t.state } end

if tonumber(t.lease) > now then
  if t.cancel == '' then
    redis.call('HSET', t.key, 'cancel', now)
    redis.call('ZADD', KEYS[2], now + ARGV[10], t.id)
  end
  redis.call('PUBLISH', t.worker, 'cancel ' .. t.id .. ' ' .. t.fence)
  return { 'REQUESTED', tonumber(t.seq) }
end
enter(t, ARGV[5], ARGV[7], ARGV[8], ARGV[9])
tell(t, ARGV[3], t.head .. ARGV[6])
finish(t, KEYS[2], now, tonumber(ARGV[11]))
save_task(t)
return { 'CANCELED', t.seq }
