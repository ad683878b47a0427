-- Writes what a run has worked out, in one atomic step. The scripts that do so begin their KEYS and ARGV alike:
-- KEYS  1 task
--       2 due
--       3 history
--       4 states
--       5 counts
--       6 ended tasks by the time of their purge, or parked tasks
--       7 fair queue of this kind of skill
--       8 positions of the queue
--       9 outbox
--       10 stored bytes
--       11 owner's open tasks
--       12 owner's ended tasks
--       13 owner's open tasks of the context
--       14 owner's ended tasks of the context
--       15 owner's tasks that ended in this state
--       16 journal
--       17 what tasks of the shard have published
--       18 … artifacts, and the notes that wait for the task where it stores some
--       where the state or its time changes:
--       … owner's tasks of the context that ended in this state
--       … owner's open tasks by state, and those of the context (lib/relist.lua)
--       last: tenant's tasks
-- ARGV  1 task id
--       2 word that must be there
--       3 word that follows
--       4 how the run goes on
--       5 ms until the task is due; for an end ms until its purge
--       6 field of the last of these events
--       7 nonce
--       8 entry in the lists before
--       9 entry in the lists after
--       10 '1' when the context was named
--       11 '1' when tasks of this end have a list of their own
--       12 TTL of the task, ms
--       13 field of the counts before or ''
--       14 field of the counts after or ''
--       15 member of the queue
--       16 tenant
--       17 channel of the dispatchers
--       18 shard
--       19 bytes, 20 account of the tenant, 21 account of the client; bytes '' for none
--       22 late messages that the turn has read
--       23 most bytes of a journal, 24 most entries
--       25 how many texts of names of fields to remove follow, and they
--       … how many of fields (name, value) follow, and they
--       … how many of entries of the journal (name, value) follow, and they
--       … changes of lists: 'A' append or 'N' begin anew or 'S' set the head or 'P' publish or 'T' remove so many
--         that are first, KEYS number, value
-- @include now.lua
-- @include fair_queue.lua
-- @include publish.lua
-- @include count.lua
-- @include journal.lua
-- @include rank.lua
-- @include relist.lua

-- The first and the last ARGV of a part that begins with its length, and where the next part begins.
local function part(at) return at + 1, at + ARGV[at], at + ARGV[at] + 1 end
local no_first, no_last, fields_at = part(25)
local first, last, entries_at = part(fields_at)
local entry, last_entry, lists_at = part(entries_at)

local function has_room()
  local limits = { size = ARGV[23], entries = ARGV[24] }
  return entry > last_entry or has_journal_room(KEYS[1], KEYS[16], entry, last_entry, limits)
end

-- Whether the task changes its entry in the lists by state: only then their KEYS are passed.
local moves = ARGV[14] ~= '' or ARGV[8] ~= ARGV[9]
-- The last of KEYS that belongs to the task alone.
local last_own = #KEYS - (moves and 8 or 1)

local function write(ends)
  -- The first write of a script that ends work must be one that a full Redis takes (keep_reserve).
  if ends then redis.call('ZREM', KEYS[2], ARGV[1]) else keep_reserve(KEYS[1]) end
  if no_last >= no_first then redis.call('HDEL', KEYS[1], unpack(ARGV, no_first, no_last)) end
  redis.call('HSET', KEYS[1], 's', ARGV[3], unpack(ARGV, first, last))
  for n = lists_at, #ARGV, 3 do
    local key = KEYS[tonumber(ARGV[n + 1])]
    if ARGV[n] == 'S' then
      redis.call('LSET', key, 0, ARGV[n + 2])
    elseif ARGV[n] == 'P' then
      redis.call('RPUSH', key, ARGV[n + 2])
    elseif ARGV[n] == 'T' then
      redis.call('LTRIM', key, ARGV[n + 2], -1)
    else
      if ARGV[n] == 'N' then redis.call('DEL', key) end
      if redis.call('RPUSH', key, ARGV[n + 2]) == 1 then redis.call('PEXPIRE', key, ARGV[12]) end
    end
  end
  add_to_journal(KEYS[1], KEYS[16], entry, last_entry,
    { ttl = ARGV[12], sums = KEYS[10], tenant = ARGV[20], client = ARGV[21] })
  if ARGV[8] ~= ARGV[9] or ends then
    redis.call('ZREM', KEYS[11], ARGV[8])
    redis.call('ZADD', KEYS[ends and 12 or 11], 0, ARGV[9])
    if ARGV[10] == '1' then
      redis.call('ZREM', KEYS[13], ARGV[8])
      redis.call('ZADD', KEYS[ends and 14 or 13], 0, ARGV[9])
    end
  end
  if moves then
    rank_task(KEYS[#KEYS], ARGV[1], ARGV[3], ARGV[9])
    relist(string.match(ARGV[2], '^%S+'), ARGV[8], string.match(ARGV[3], '^%S+'), ARGV[9], ARGV[10] == '1')
  end
  if ARGV[13] ~= '' then uncount(KEYS[5], ARGV[13]) end
  if ARGV[14] ~= '' then redis.call('HINCRBY', KEYS[5], ARGV[14], 1) end
  if ARGV[19] ~= '' then
    redis.call('HINCRBY', KEYS[10], ARGV[20], ARGV[19])
    redis.call('HINCRBY', KEYS[10], ARGV[21], ARGV[19])
  end
end

-- No event has the task's use of models (t.used): a line without an event makes readers that build the task read it instead.
local function tell_written(t, now)
  local before = t.used and t.id .. ' 0 - -\n' or ''
  publish_events(t, now, KEYS[9], ARGV[17], ARGV[18], function() return before .. lines_of(t.id, first, last) end)
end
