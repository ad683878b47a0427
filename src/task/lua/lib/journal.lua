-- The journal of a task: a hash with what its turns have asked and got, so that a run can be repeated. Entries are never
-- changed, and only the run that holds the task adds some. 'jb' of the record counts their bytes and those of what the skill
-- remembers, as do the accounts of its tenant and client.
-- A field '<turn>~…' says how finished work is undone: 'un' of the record says that there are some.
-- ARGV of entries: name, value.
local function has_journal_room(task, journal, first, last, limits, more)
  local bytes = tonumber(redis.call('HGET', task, 'jb') or 0) + (more or 0)
  for at = first, last do bytes = bytes + #ARGV[at] end
  return bytes <= tonumber(limits.size) and redis.call('HLEN', journal) + (last - first + 1) / 2 <= tonumber(limits.entries)
end

local function count_beside(task, bytes, store)
  redis.call('HINCRBY', task, 'jb', bytes)
  if store.tenant ~= '' then
    redis.call('HINCRBY', store.sums, store.tenant, bytes)
    redis.call('HINCRBY', store.sums, store.client, bytes)
  end
end

-- Returns how many entries are new.
local function add_to_journal(task, journal, first, last, store)
  local added, bytes = 0, 0
  for at = first, last, 2 do
    if redis.call('HSET', journal, ARGV[at], ARGV[at + 1]) == 1 then
      added, bytes = added + 1, bytes + #ARGV[at] + #ARGV[at + 1]
      if string.find(ARGV[at], '^%d+~') then redis.call('HSET', task, 'un', '1') end
    end
  end
  if added == 0 then return 0 end
  redis.call('PEXPIRE', journal, store.ttl)
  count_beside(task, bytes, store)
  return added
end
