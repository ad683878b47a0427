-- Gives a run back, so that the next worker may start it: because this one leaves (the attempt does not count), or
-- because the skill broke down (it does).
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 fence  3 nonce  4 open states  5 ms until the sweep looks whether a job was added
--       6 '1' when the attempt counts
-- Returns {'RELEASED', fence} | {'GONE' | 'TERMINAL' | 'FENCED'}
-- @include lib/record.lua
-- @include lib/hold.lua
local t, now = read_task(KEYS[1], ARGV[1]), now_ms()
local why = refused(t, ARGV[2], ARGV[3], ARGV[4])
if why then return { why } end
if ARGV[6] ~= '1' then put(t, 'attempts', t.attempts - 1) end
local fence = vacate(t, KEYS[2], now, now + ARGV[5])
save_task(t)
return { 'RELEASED', fence }
