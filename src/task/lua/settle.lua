-- Ends a task from outside of its run, unless the task has changed since it was read.
-- KEYS  as lib/end.lua
-- ARGV  as lib/end.lua, then
--       16 fence
-- Returns {'SETTLED', seq} | {'UNDOES'} it ends when its work is undone | {'MOVED'}
--       | {'EARLIER', ms} the status would be older than the one before
-- @include lib/record.lua
-- @include lib/end.lua
local t = read_task(KEYS[1], ARGV[1])
if not t or t.fence ~= tonumber(ARGV[16]) or not is_one_of(t.state, ARGV[3]) then return { 'MOVED' } end
if ARGV[6] < t.ms then return { 'EARLIER', t.ms } end
local now = now_ms()
if undoes_first(t, now) then return { 'UNDOES' } end
end_task(t, now)
return { 'SETTLED', t.seq }
