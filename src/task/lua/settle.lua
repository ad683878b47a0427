-- Ends a task from outside of its run, unless it has moved since it was looked at.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 fence  3 nonce  4 states that may end so  5 terminal state  6 event's tail
--       7 timestamp  8 the same in ms  9 status message  10 retention, ms
-- Returns {'SETTLED', seq} | {'MOVED'}
-- @include lib/record.lua
-- @include lib/hold.lua
-- @include lib/line.lua
-- @include lib/enter.lua
-- @include lib/finish.lua
local t = read_task(KEYS[1], ARGV[1])
if not t or t.fence ~= ARGV[2] or not is_one_of(t.state, ARGV[4]) then return { 'MOVED' } end
enter(t, ARGV[5], ARGV[7], ARGV[8], ARGV[9])
tell(t, ARGV[3], t.head .. ARGV[6])
finish(t, KEYS[2], now_ms(), tonumber(ARGV[10]))
save_task(t)
return { 'SETTLED', t.seq }
