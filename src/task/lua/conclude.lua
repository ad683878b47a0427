-- Commits everything that a run has yielded and ends its task, if there is no pending request: the usual life of a task.
-- Compares the state word and replaces it; nothing is unpacked. Sending it again changes nothing.
-- KEYS  1 task
--       2 due
--       3 ended tasks by the time of their purge
--       4 counts
--       5 owner's open tasks
--       6 owner's ended tasks
--       7 tenant's tasks
--       where the context was named, bytes are counted or tasks of this end have a list of their own:
--       8 owner's open tasks of the context
--       9 owner's ended tasks of the context
--       10 owner's tasks that ended in this state
--       11 stored bytes
--       12 owner's tasks of the context that ended in this state
-- ARGV  1 task id
--       2 word that must be there
--       3 word that follows
--       4 time of the purge, ms
--       5 entry in the lists before
--       6 entry in the lists after
--       7 field of the counts
--       8 score in the tenant's tasks
--       9 reply channel or '', 10 the end as one line for it, or '' where it gets the events
--       11 how many of the following there are, 5 or none: the usual end needs none of them
--       12 '1' when the context was named
--       13 '1' when tasks of this end have a list of their own
--       14 bytes, 15 account of the tenant, 16 account of the client; bytes '' for none
--       … fields: name, value
-- Returns 'OK' | 'GENERAL' there is a pending request, or use of models that no event has: commit.lua decides | 'LOST'
-- Every send calls this, so it makes only what it needs.
local call, KEYS, ARGV = redis.call, KEYS, ARGV
local f = call('HMGET', KEYS[1], 's', 'x', 'mu')
if f[1] ~= ARGV[2] then return f[1] == ARGV[3] and 'OK' or 'LOST' end
if f[2] or f[3] then return 'GENERAL' end
-- The first write frees memory: a full Redis refuses only the first write of a script, and a run must be able to end.
call('ZREM', KEYS[2], ARGV[1])
local more = tonumber(ARGV[11])
local first = 12 + more
call('HSET', KEYS[1], 's', ARGV[3], unpack(ARGV, first))
call('ZADD', KEYS[3], ARGV[4], ARGV[1])
call('HINCRBY', KEYS[4], ARGV[7], '1')
call('ZADD', KEYS[7], ARGV[8], ARGV[1])
call('ZREM', KEYS[5], ARGV[5])
call('ZADD', KEYS[6], '0', ARGV[6])
if more > 0 then
  if ARGV[12] == '1' then
    call('ZREM', KEYS[8], ARGV[5])
    call('ZADD', KEYS[9], '0', ARGV[6])
  end
  if ARGV[13] == '1' then
    call('ZADD', KEYS[10], '0', ARGV[6])
    if ARGV[12] == '1' then call('ZADD', KEYS[12], '0', ARGV[6]) end
  end
  if ARGV[14] ~= '' then
    call('HINCRBY', KEYS[11], ARGV[15], ARGV[14])
    call('HINCRBY', KEYS[11], ARGV[16], ARGV[14])
  end
end
if ARGV[9] == '' then return 'OK' end
if ARGV[10] ~= '' then
  call('PUBLISH', ARGV[9], ARGV[10])
  return 'OK'
end
-- @include lib/publish.lua
call('PUBLISH', ARGV[9], lines_of(ARGV[1], first, #ARGV))
return 'OK'
