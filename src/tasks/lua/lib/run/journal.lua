-- The journal of a task: a hash with the calls of its turns and their results, so that a run can be replayed. Entries
-- never change, and only the run that holds the task adds some. The record counts their bytes and those of the skill's
-- state, as do the accounts of its tenant and client. A field '<turn>~…' is a compensation of finished work, and the
-- record has a flag for these.
-- Entries are items of ARGV from 'first' to 'last': name, value. The scripts have 'max_journal_bytes' and
-- 'max_journal_entries', 'ttl' of the task, 'bytes_key' and the accounts of tenant and client in it, '' for none.
local function has_journal_room(task_key, journal_key, first, last, more)
  local bytes = tonumber(redis.call('HGET', task_key, field.journal_bytes) or 0) + (more or 0)
  for at = first, last do bytes = bytes + #ARGV[at] end
  return bytes <= tonumber(max_journal_bytes) and redis.call('HLEN', journal_key) + (last - first + 1) / 2 <= tonumber(max_journal_entries)
end

local function count_beside(task_key, bytes)
  redis.call('HINCRBY', task_key, field.journal_bytes, bytes)
  if tenant_account ~= '' then
    redis.call('HINCRBY', bytes_key, tenant_account, bytes)
    redis.call('HINCRBY', bytes_key, client_account, bytes)
  end
end

-- Returns the number of new entries.
local function add_to_journal(task_key, journal_key, first, last)
  local added, bytes = 0, 0
  for at = first, last, 2 do
    if redis.call('HSET', journal_key, ARGV[at], ARGV[at + 1]) == 1 then
      added, bytes = added + 1, bytes + #ARGV[at] + #ARGV[at + 1]
      if string.find(ARGV[at], '^%d+~') then redis.call('HSET', task_key, field.has_undo, '1') end
    end
  end
  if added == 0 then return 0 end
  redis.call('PEXPIRE', journal_key, ttl)
  count_beside(task_key, bytes)
  return added
end
