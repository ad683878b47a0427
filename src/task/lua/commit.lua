-- Commits the events of a run, all in one atomic step, or none of them. The run passes the expected state word and the
-- computed writes; only a cancel or a message of the owner can change the outcome.
-- KEYS  1 task
--       2 due
--       3 history
--       4 states
--       5 counts
--       6 ended tasks by the time of their purge
--       7 fair queue of this kind of skill
--       8 positions of the queue
--       9 outbox
--       10 stored bytes
--       11 owner's open tasks
--       12 owner's ended tasks
--       13 owner's open tasks of the context
--       14 owner's ended tasks of the context
--       15 owner's tasks that ended in this state
--       16 … artifacts
--       where the state or its time changes:
--       … owner's tasks of the context that ended in this state
--       … owner's open tasks by state, and those of the context (lib/relist.lua)
--       last: tenant's tasks
-- ARGV  1 task id
--       2 word that must be there
--       3 word that follows
--       4 how the run goes on: 'go' | 'ask' | 'next' turn | 'end' | 'end?' gives way to messages that came meanwhile
--       5 ms until the task is due; for an end ms until its purge
--       6 field of the last of these events
--       7 nonce
--       8 place in the lists before
--       9 place in the lists after
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
--       22 how many names of fields to remove follow, and they
--       … how many fields (name, value) follow, as texts, and they
--       … changes of lists: 'A' append or 'N' begin anew or 'S' set the head, KEYS number, value
-- Returns {'OK', ms} | {'OK', ms, position} the next turn is in the queue | {'CANCEL' | 'LATE' | 'LOST'}
-- @include lib/now.lua
-- @include lib/line.lua
-- @include lib/tell.lua
-- @include lib/count.lua
-- @include lib/rank.lua
-- @include lib/relist.lua
local f = redis.call('HMGET', KEYS[1], 's', ARGV[6], 'x')
if f[1] ~= ARGV[2] then
  -- The nonce is this run's own: an event that bears it was stored by this very commit, whose reply was lost.
  local was_made = f[2] and string.sub(f[2], 1, #ARGV[7] + 1) == ARGV[7] .. ' '
  return was_made and { 'OK', now_ms(), 0 } or { 'LOST' }
end
local t, how = { key = KEYS[1], id = ARGV[1], p = '', r = '', w = '' }, ARGV[4]
local wishes = redis.call('HMGET', KEYS[1], 'r', 'k', 'q', 'p', 'w')
t.r = wishes[1] or ''
if f[3] then
  if wishes[2] then return { 'CANCEL' } end
  if how == 'end?' and wishes[3] and string.match(wishes[3], '%d+$') ~= '0' then return { 'LATE' } end
  t.p, t.w = wishes[4] or '', wishes[5] or ''
end

local now, at = now_ms(), 23
keep_reserve(KEYS[1])
if ARGV[22] ~= '0' then redis.call('HDEL', KEYS[1], unpack(ARGV, at, at + ARGV[22] - 1)) end
at = at + ARGV[22]
local first, last = at + 1, at + ARGV[at]
redis.call('HSET', KEYS[1], 's', ARGV[3], unpack(ARGV, first, last))
for n = last + 1, #ARGV, 3 do
  local key = KEYS[tonumber(ARGV[n + 1])]
  if ARGV[n] == 'S' then
    redis.call('LSET', key, 0, ARGV[n + 2])
  else
    if ARGV[n] == 'N' then redis.call('DEL', key) end
    if redis.call('RPUSH', key, ARGV[n + 2]) == 1 then redis.call('PEXPIRE', key, ARGV[12]) end
  end
end

local ends = string.sub(how, 1, 3) == 'end'
if ARGV[8] ~= ARGV[9] or ends then
  redis.call('ZREM', KEYS[11], ARGV[8])
  redis.call('ZADD', KEYS[ends and 12 or 11], 0, ARGV[9])
  if ARGV[10] == '1' then
    redis.call('ZREM', KEYS[13], ARGV[8])
    redis.call('ZADD', KEYS[ends and 14 or 13], 0, ARGV[9])
  end
end
if ARGV[14] ~= '' or ARGV[8] ~= ARGV[9] then
  rank_task(KEYS[#KEYS], ARGV[1], ARGV[3], ARGV[9])
  relist(string.match(ARGV[2], '^%S+'), ARGV[8], string.match(ARGV[3], '^%S+'), ARGV[9], ARGV[10] == '1')
end
if ARGV[13] ~= '' then uncount(KEYS[5], ARGV[13]) end
if ARGV[14] ~= '' then redis.call('HINCRBY', KEYS[5], ARGV[14], 1) end
if ARGV[19] ~= '' then
  redis.call('HINCRBY', KEYS[10], ARGV[20], ARGV[19])
  redis.call('HINCRBY', KEYS[10], ARGV[21], ARGV[19])
end
local place
if ends then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZADD', KEYS[6], now + ARGV[5], ARGV[1])
  if ARGV[11] == '1' then
    redis.call('ZADD', KEYS[15], 0, ARGV[9])
    if ARGV[10] == '1' then redis.call('ZADD', KEYS[#KEYS - 7], 0, ARGV[9]) end
  end
else
  redis.call('ZADD', KEYS[2], now + ARGV[5], ARGV[1])
  if how == 'ask' then redis.call('PEXPIRE', KEYS[1], ARGV[12]) end
  if how == 'next' then place = join_line(KEYS[7], KEYS[8], ARGV[15], ARGV[16], 0) end
end
tell(t, now, KEYS[9], ARGV[17], ARGV[18], function() return lines_of(t.id, first, last) end)
return { 'OK', now, place }
