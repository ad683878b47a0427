-- Stores a new task with its first event and the wish to run, or finds the task that the same message made before.
-- KEYS  1 task  2 due  3 sent: the mark of this message
-- ARGV  1 task id  2 hash of the request  3 TTL of the mark, ms  4 nonce  5 first event  6 first message
--       7 '' to run it, or the retention in ms of a task that is born terminal
--       8 ms until the sweep looks whether a job was added  9 id of its webhook, or ''  10 the webhook
--       11 place that other lines serve  12 … the task's fields: name, value, name, value
-- Returns {'CREATED', seq, fence, place in line[, place served]} | {'SENT', '<task id> <hash>'}
-- @include lib/record.lua
-- @include lib/hold.lua
-- @include lib/line.lua
-- @include lib/finish.lua
-- @include lib/inbox.lua
-- @include lib/enter.lua
local sent = redis.call('GET', KEYS[3])
if sent then return { 'SENT', sent } end
redis.call('SET', KEYS[3], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])

local t, now = new_task(KEYS[1], ARGV[1]), now_ms()
put(t, 'seq', 0, 'place', '', 'hooks', ARGV[9], 'inbox', '', 'sent', KEYS[3], unpack(ARGV, 12))
put(t, 'states', passed(t.state, t.ts))
put_in_inbox(t, redis.call('RPUSH', t.key .. ':history', ARGV[6]))
if ARGV[9] ~= '' then
  redis.call('HSET', t.key .. ':push', 'config:' .. ARGV[9], ARGV[10], 'next:' .. ARGV[9], 1)
end
tell(t, ARGV[4], ARGV[5])
local fence, place, served = 0, 0, nil
if ARGV[7] ~= '' then
  finish(t, KEYS[2], now, tonumber(ARGV[7]))
else
  fence = vacate(t, KEYS[2], now, now + ARGV[8])
  place, served = join_line(t, ARGV[11])
end
save_task(t)
return { 'CREATED', t.seq, fence, place, served }
