-- Progress of children in the log of their parent: events that change nothing of the parent but its log. While a run holds the
-- parent, or questions of its tree are shown, notes wait in a list, from which that run or the park of the task takes them.
-- A note is '<nonce> <event>'. 'nb' of the record has the bytes of those in the log.
-- @include word.lua
-- @include publish.lua
-- @include event.lua
local MOST_WAITING, MOST_NOTE_BYTES = 100, 1048576

-- Appends what waits, and one more, to the log of a task that is parked. 'of' is {outbox, hints, shard, ttl}.
local function append_notes(task, waiting, now, of, note)
  local notes = redis.call('LRANGE', waiting, 0, -1)
  if #notes > 0 then redis.call('DEL', waiting) end
  notes[#notes + 1] = note
  local f, lines = redis.call('HMGET', task, 's', 'f', 'p', 'r', 'w', 'nb'), {}
  local t, bytes = read_word(f[1]), tonumber(f[6] or 0)
  t.key, t.p, t.r, t.w, t.id = task, f[3] or '', f[4] or '', f[5] or '', string.match(task, '[^:]+$')
  for _, one in ipairs(notes) do
    if bytes + #one > MOST_NOTE_BYTES then break end
    t.seq, t.last, bytes = t.seq + 1, string.match(one, '^%S+'), bytes + #one
    redis.call('HSET', task, 'e' .. t.seq, one)
    if t.seq > KEPT then redis.call('HDEL', task, 'e' .. t.seq - KEPT) end
    lines[#lines + 1] = t.id .. ' ' .. t.seq .. ' ' .. one
  end
  if #lines == 0 then return end
  local turn, base = string.match(f[2], '^(%d+) (%d+)$')
  redis.call('HSET', task, 's', word_of(t), 'f', turn .. ' ' .. (base + #lines), 'nb', bytes)
  publish_events(t, now, of.outbox, of.hints, of.shard, function() return table.concat(lines, '\n') end)
end

-- Gives a note to the parent of a child; one that has ended takes none. Every open task is due at some time.
local function note_child(task, waiting, open_tasks, now, of, note)
  local word = redis.call('ZSCORE', open_tasks, string.match(task, '[^:]+$')) and redis.call('HGET', task, 's')
  if not word then return end
  local t = read_word(word)
  if is_parked(t) and t.state == 'TASK_STATE_WORKING' then
    append_notes(task, waiting, now, of, note)
  elseif redis.call('LLEN', waiting) < MOST_WAITING then
    redis.call('RPUSH', waiting, note)
    redis.call('PEXPIRE', waiting, of.ttl)
  end
end
