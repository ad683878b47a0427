-- Writes a commit of a run. The scripts with this file have the inputs of commit.lua.
-- @include now.lua
-- @include ../hooks/publish.lua
-- @include ../record/count.lua
-- @include journal.lua
-- @include ../record/rank.lua
-- @include ../record/relist.lua

local function has_room()
  return entries_from > entries_to or has_journal_room(task_key, journal_key, entries_from, entries_to)
end

local function change_lists()
  for at = changes_from, changes_to, changes_step do
    -- @row changes at
    local list_key = KEYS[lists_from + list]
    if how == 'S' then
      redis.call('LSET', list_key, 0, value)
    elseif how == 'P' then
      redis.call('RPUSH', list_key, value)
    elseif how == 'T' then
      redis.call('LTRIM', list_key, value, -1)
    else
      if how == 'N' then redis.call('DEL', list_key) end
      if redis.call('RPUSH', list_key, value) == 1 then redis.call('PEXPIRE', list_key, ttl) end
    end
  end
end

local function write_record()
  if removed_to >= removed_from then redis.call('HDEL', task_key, unpack(ARGV, removed_from, removed_to)) end
  redis.call('HSET', task_key, field.word, word, unpack(ARGV, fields_from, fields_to))
  change_lists()
  add_to_journal(task_key, journal_key, entries_from, entries_to)
  if count_before ~= '' then uncount(counts_key, count_before) end
  if count_after ~= '' then redis.call('HINCRBY', counts_key, count_after, 1) end
  if (size or '') ~= '' then
    redis.call('HINCRBY', bytes_key, tenant_account, size)
    redis.call('HINCRBY', bytes_key, client_account, size)
  end
end

-- Moves an open task in the lists.
local function move_in_lists()
  if entry_before ~= entry then
    redis.call('ZREM', open_key, entry_before)
    redis.call('ZADD', open_key, 0, entry)
    if is_named == '1' then
      redis.call('ZREM', open_of_context_key, entry_before)
      redis.call('ZADD', open_of_context_key, 0, entry)
    end
  end
  if not has_moved then return end
  rank_task(tenant_tasks_key, id, word, entry)
  relist(string.match(seen_word, '^%S+'), entry_before, string.match(word, '^%S+'), entry, is_named == '1')
end

-- The task's use of models (t.used) has no event: a line without an event makes readers that build the task read it
-- instead.
local function publish_written(t, now)
  local before = t.used and t.id .. ' 0 - -\n' or ''
  publish_events(t, now, function() return before .. lines_of(t.id, fields_from, fields_to) end)
end
