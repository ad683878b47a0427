-- Commits the events of a run, all in one atomic step, or none of them. The run passes the expected state word and the
-- computed writes; only a cancel or a message of the owner can change the outcome.
-- KEYS  as lib/write.lua
-- ARGV  as lib/write.lua; 4 is 'go' | 'ask' | 'next' turn | 'end' | 'end?' gives way to messages that came meanwhile
-- Returns {'OK', ms, position of the next turn in the queue or 0, runs in the fair queues after the end of a child or 0, 1 where
--         the task has used language models} | {'CANCEL' | 'LATE' | 'LOST'}
--       | {'FULL'} there is no room in the journal
-- The end of a task in a tree: behind 'end' in ARGV 4 are '<longest wait for a run, ms> <position that other queues serve>'
-- of a child, or '- -' of a root, then '1' where it has children, and of a child its notes (lib/notes.lua). KEYS has
-- before the lists by state: parent, its children, its held children, notes that wait for it (of a child), parked tasks, both fair
-- queues, tasks whose children are to be canceled.
-- A child that asks: behind 'ask' is the root of its tree, and before the lists by state KEYS has the questions of the tree, and
-- the roots whose questions are to be shown.
-- Progress of a child that goes on or asks: its notes are the fifth word, '-' for others before it, and KEYS has right before the
-- lists by state the parent and the notes that wait for it.
-- @include lib/write.lua
-- @include lib/parent.lua
-- @include lib/questions.lua
local f = redis.call('HMGET', KEYS[1], 's', ARGV[6], 'x', 'mu', 'r')
if f[1] ~= ARGV[2] then
  -- The nonce is this run's own: an event that bears it was stored by this very commit, whose reply was lost.
  local was_made = f[2] and string.sub(f[2], 1, #ARGV[7] + 1) == ARGV[7] .. ' '
  return was_made and { 'OK', now_ms(), 0, 0, f[4] and 1 } or { 'LOST' }
end
local how, longest, elsewhere, has_children, note = string.match(ARGV[4], '^(%S+) ?(%S*) ?(%S*) ?(%S*) ?(.*)$')
local t = { key = KEYS[1], id = ARGV[1], p = '', r = f[5] or '', w = '', used = f[4] }
if f[3] then
  local requests = redis.call('HMGET', KEYS[1], 'k', 'q', 'p', 'w')
  if requests[1] then return { 'CANCEL' } end
  if how == 'end?' and tonumber(string.match(requests[2] or '0', '%d+$')) > tonumber(ARGV[22]) then return { 'LATE' } end
  t.p, t.w = requests[3] or '', requests[4] or ''
end
if not has_room() then return { 'FULL' } end

local now, ends = now_ms(), string.sub(how, 1, 3) == 'end'
write(ends)
local position, runs
if ends then
  redis.call('ZADD', KEYS[6], now + ARGV[5], ARGV[1])
  if ARGV[11] == '1' then
    redis.call('ZADD', KEYS[15], 0, ARGV[9])
    if ARGV[10] == '1' then redis.call('ZADD', KEYS[#KEYS - 7], 0, ARGV[9]) end
  end
else
  redis.call('ZADD', KEYS[2], now + ARGV[5], ARGV[1])
  if how == 'ask' then redis.call('PEXPIRE', KEYS[1], ARGV[12]) end
  local last = note == '' and last_own or last_own - 2
  if how == 'ask' and longest ~= '' then note_questions(KEYS[last - 1], KEYS[last], t.id, now, tonumber(ARGV[12])) end
  if how == 'next' then position = join_queue(KEYS[7], KEYS[8], ARGV[15], ARGV[16], 0) end
end
tell_written(t, now)
local of = { outbox = KEYS[9], hints = ARGV[17], shard = ARGV[18], ttl = ARGV[12] }
local child = { key = KEYS[1], id = t.id, nonce = ARGV[7], note = note }
if note ~= '' and not ends then note_child(child, KEYS[last_own - 1], KEYS[last_own], KEYS[2], now, of) end
if ends and longest ~= '' then
  if has_children == '1' then redis.call('ZADD', KEYS[#KEYS - 8], now, t.id) end
  if longest ~= '-' then
    local keys = { parent_task = KEYS[#KEYS - 15], children = KEYS[#KEYS - 14], held = KEYS[#KEYS - 13], notes = KEYS[#KEYS - 12],
      due = KEYS[2], parked = KEYS[#KEYS - 11], queue = KEYS[#KEYS - 10], limited_queue = KEYS[#KEYS - 9], turns = KEYS[8],
      outbox = of.outbox, hints = of.hints, shard = of.shard, ttl = of.ttl }
    child.member, child.tenant, child.state = ARGV[15], ARGV[16], string.match(ARGV[3], '^%S+')
    runs = end_child(child, keys, now, longest, elsewhere)
  end
end
return { 'OK', now, position or 0, runs or 0, f[4] and 1 }
