-- Progress of children in the log of their parent: events that change only the parent's log. While a run holds the
-- parent, or questions of its tree are shown, notes wait in a list, '<nonce> <event>' each, until that run or the park
-- of the task stores them. A child passes its notes as lines, a letter for the kind and the event: 's' a status, 'p' a
-- chunk of an artifact, 'x' a too large chunk. The record of the parent has their bytes, of statuses and of chunks. A
-- child whose chunk did not fit is marked and adds no more chunks, since a later one would follow the wrong
-- predecessor.
-- @include ../record/word.lua
-- @include ../hooks/publish.lua
-- @include ../record/event.lua
local MAX_WAITING, MAX_NOTE_BYTES = { s = 1100, p = 1000, x = 0 }, 1048576

-- Appends the waiting notes, and these, to the log of a parked task.
local function append_notes(task_key, waiting_key, now, fresh)
  local notes = redis.call('LRANGE', waiting_key, 0, -1)
  if #notes > 0 then redis.call('DEL', waiting_key) end
  for _, note in ipairs(fresh) do notes[#notes + 1] = note end
  if #notes == 0 then return end
  local f, lines = redis.call('HMGET', task_key, field.word, field.replay, field.watched, field.reply, field.hooks), {}
  local t = read_word(f[1])
  t.key, t.watched, t.reply, t.hooks, t.id = task_key, f[3] or '', f[4] or '', f[5] or '', string.match(task_key, '[^:]+$')
  for _, one in ipairs(notes) do
    t.seq, t.last = t.seq + 1, string.match(one, '^%S+')
    redis.call('HSET', task_key, field.event .. t.seq, one)
    if t.seq > KEPT then redis.call('HDEL', task_key, field.event .. t.seq - KEPT) end
    lines[#lines + 1] = t.id .. ' ' .. t.seq .. ' ' .. one
  end
  local turn, base = string.match(f[2], '^(%d+) (%d+)$')
  redis.call('HSET', task_key, field.word, word_of(t), field.replay, turn .. ' ' .. (base + #notes))
  publish_events(t, now, function() return table.concat(lines, '\n') end)
end

-- The notes for which the parent has room. 'used' has the bytes of each kind; a child that loses a chunk is marked.
local function notes_with_room(child, used, waits)
  local taken, is_cut = {}, nil
  for kind, event in string.gmatch(child.note, '(%l)([^\n]*)') do
    local note = child.nonce .. ' ' .. event
    local fits = waits + #taken < MAX_WAITING[kind] and used[kind] + #note <= MAX_NOTE_BYTES
    if kind ~= 's' then
      if is_cut == nil then is_cut = redis.call('HEXISTS', child.key, field.is_cut) == 1 end
      if not fits and not is_cut then redis.call('HSET', child.key, field.is_cut, '1') end
      is_cut = is_cut or not fits
      fits = not is_cut
    end
    if fits then
      used[kind] = used[kind] + #note
      taken[#taken + 1] = note
    end
  end
  return taken
end

-- Passes the notes of a child, {key, nonce, note}, to its parent, by 'parent_key' and 'parent_notes_key'; an ended
-- parent accepts none. Every open task is in the set of due ones.
local function note_child(child, now)
  local f = redis.call('ZSCORE', due_key, string.match(parent_key, '[^:]+$'))
    and redis.call('HMGET', parent_key, field.word, field.status_note_bytes, field.piece_note_bytes)
  if not f or not f[1] then return end
  local t = read_word(f[1])
  local shows = is_parked(t) and t.state == 'TASK_STATE_WORKING'
  local used = { s = tonumber(f[2] or 0), p = tonumber(f[3] or 0), x = 0 }
  local notes = notes_with_room(child, used, shows and 0 or redis.call('LLEN', parent_notes_key))
  if #notes == 0 then return end
  redis.call('HSET', parent_key, field.status_note_bytes, used.s, field.piece_note_bytes, used.p)
  if shows then return append_notes(parent_key, parent_notes_key, now, notes) end
  redis.call('RPUSH', parent_notes_key, unpack(notes))
  redis.call('PEXPIRE', parent_notes_key, ttl)
end
