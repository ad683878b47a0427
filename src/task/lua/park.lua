-- Parks a task: commits the events and the journal of its run, and releases the run. No process holds anything of it: it is
-- due when its wait ends, and wake.lua or a message puts it into the fair queue. The check for messages that arrived
-- meanwhile is part of this script, so that no wake-up is lost.
-- KEYS  as lib/write.lua, KEYS 6 is the parked tasks; KEYS 18 … artifacts, all other keys of the task, notes that wait for it,
--       questions of its tree, roots whose questions are to be shown; of a child with notes its parent, and the notes that wait for that
-- ARGV  as lib/write.lua; 4 is '<ms at which the wait ends> <late messages that the run knows, or - when none ends it>
--       <settled fan-outs that it knows, or -> <its answered questions that it knows, or - when it asks none> <root of its tree>
--       <hints that it knows, or - when none ends it>', and of a child ' <its notes (lib/notes.lua)>'
-- Returns {'OK', ms, 1 where the task has used language models} | {'AGAIN'} there are messages, ends of children, answers or hints that the run does not know | {'CANCEL' | 'LOST'}
--       | {'FULL'} there is no room in the journal
-- @include lib/write.lua
-- @include lib/questions.lua
-- @include lib/notes.lua
local f = redis.call('HMGET', KEYS[1], 's', 'mu')
-- The stored word is the one that this call writes: it was sent before, and its reply was lost.
if f[1] == ARGV[3] then return { 'OK', now_ms(), f[2] and 1 } end
if f[1] ~= ARGV[2] then return { 'LOST' } end
local t, till, known, settled, answered, root, hints, note =
  { key = KEYS[1], id = ARGV[1], used = f[2] }, string.match(ARGV[4], '^(%d+) (%S+) (%S+) (%S+) (%S+) (%S+) ?(.*)$')
local requests = redis.call('HMGET', KEYS[1], 'r', 'k', 'q', 'p', 'w', 'wc', 'an', 'hn')
if requests[2] then return { 'CANCEL' } end
local late = tonumber(string.match(requests[3] or '0', '%d+$'))
if known ~= '-' and late > tonumber(known) then return { 'AGAIN' } end
if settled ~= '-' and tonumber(requests[6] or 0) > tonumber(settled) then return { 'AGAIN' } end
if answered ~= '-' and tonumber(requests[7] or 0) > tonumber(answered) then return { 'AGAIN' } end
if hints ~= '-' and tonumber(requests[8] or 0) > tonumber(hints) then return { 'AGAIN' } end
if not has_room() then return { 'FULL' } end
t.r, t.p, t.w = requests[1] or '', requests[4] or '', requests[5] or ''

local now = now_ms()
write(false)
-- Another process may wake the task: subscribers here need its events from then on.
redis.call('HSET', KEYS[1], 'x', '1', 'p', now + 60000)
redis.call('ZADD', KEYS[2], till, ARGV[1])
redis.call('ZADD', KEYS[6], till, ARGV[1])
-- A task may wait again and again: the TTLs of its other keys are renewed with its own.
redis.call('PEXPIRE', KEYS[1], ARGV[12])
local last = note == '' and last_own or last_own - 2
for n = 18, last - 2 do redis.call('PEXPIRE', KEYS[n], ARGV[12]) end
local waiting, questions, asking = KEYS[last - 2], KEYS[last - 1], KEYS[last]
if answered ~= '-' then note_questions(questions, asking, t.id, now, tonumber(ARGV[12]))
elseif root == t.id and redis.call('EXISTS', questions) == 1 then redis.call('ZADD', asking, now, root) end
tell_written(t, now)
local of = { outbox = KEYS[9], hints = ARGV[17], shard = ARGV[18], ttl = ARGV[12] }
if string.match(ARGV[3], '^TASK_STATE_WORKING ') and redis.call('EXISTS', waiting) == 1 then
  append_notes(KEYS[1], waiting, now, of, {})
end
if note ~= '' then
  note_child({ key = KEYS[1], nonce = ARGV[7], note = note }, KEYS[last_own - 1], KEYS[last_own], KEYS[2], now, of)
end
return { 'OK', now, f[2] and 1 }
