-- Parks a task: commits what its run has yielded and its journal, and lets go of the run. Nothing of it is left in a process:
-- it is due when its wait ends, and wake.lua or a message puts it into the fair queue. The check for what has come meanwhile
-- is part of this script, so that no wake-up is lost.
-- KEYS  as lib/write.lua, KEYS 6 is the parked tasks; KEYS 17 … artifacts, all other keys of the task
-- ARGV  as lib/write.lua; 4 is '<ms at which the wait ends> <late messages that the run knows, or - when none ends it>'
-- Returns {'OK', ms} | {'AGAIN'} there are messages that the run does not know | {'CANCEL' | 'LOST'}
--       | {'FULL'} there is no room in the journal
-- @include lib/write.lua
local f = redis.call('HMGET', KEYS[1], 's', 'x')
-- The word that follows names this run's park: it was made, and its reply was lost.
if f[1] == ARGV[3] then return { 'OK', now_ms() } end
if f[1] ~= ARGV[2] then return { 'LOST' } end
local t, till, known = { key = KEYS[1], id = ARGV[1] }, string.match(ARGV[4], '^(%d+) (%S+)$')
local wishes = redis.call('HMGET', KEYS[1], 'r', 'k', 'q', 'p', 'w')
if wishes[2] then return { 'CANCEL' } end
local late = tonumber(string.match(wishes[3] or '0', '%d+$'))
if known ~= '-' and late > tonumber(known) then return { 'AGAIN' } end
if not has_room() then return { 'FULL' } end
t.r, t.p, t.w = wishes[1] or '', wishes[4] or '', wishes[5] or ''

local now = now_ms()
write(false)
-- Another process may wake the task: those who follow it want to hear of its events.
redis.call('HSET', KEYS[1], 'x', '1', 'p', now + 60000)
redis.call('ZADD', KEYS[2], till, ARGV[1])
redis.call('ZADD', KEYS[6], till, ARGV[1])
-- A task may wait again and again: what belongs to it lives on with it.
redis.call('PEXPIRE', KEYS[1], ARGV[12])
for n = 17, last_own do redis.call('PEXPIRE', KEYS[n], ARGV[12]) end
tell_written(t, now)
return { 'OK', now }
