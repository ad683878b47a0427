-- Turns a task of schema 2 into one of schema 3, in one step: what is counted and listed follows from it exactly once.
-- KEYS  1 task
--       2 its history
--       3 its states
--       4 its events of schema 2
--       5 its steps of schema 2
--       6 due
--       7 ended tasks by the time of their purge
--       8 fair queue of this kind of skill
--       9 counts
--       10 stored bytes
--       11 counts of schema 2
--       12 … 15 lists of schema 2
--       16 … 19 lists of schema 3 to which it belongs
--       20 … other keys that live as long as the task
--       last: tenant's tasks
-- ARGV  1 task id
--       2 number of its latest event, 3 its fence, 4 its state: it must have them
--       5 TTL of the task, ms
--       6 index entry
--       7 '1' when it has ended
--       8 when it is due or purged, ms
--       9 position of its run in the fair queue or '', 10 member of the queue
--       11 field of the counts that counts all, 12 field that counts its state or '', 13 field of the counts of schema 2
--       14 bytes of messages and results, 15 bytes of events that were copied before, 16 bytes of messages alone
--       17 account of the tenant, 18 account of the client
--       19 first event that is not copied yet, 20 most events
--       21 how many lists of KEYS 16 … there are
--       22 how many names of old fields follow, and they
--       … how many items of the list of states follow, and they
--       … fields of the new record: name, value
-- Returns 'DONE' | 'MOVED' it is not as it was read, or is of schema 3 already
-- @include lib/move.lua
-- @include ../../lua/lib/rank.lua
local task, id = KEYS[1], ARGV[1]
local f = redis.call('HMGET', task, 'seq', 'fence', 'state', 'metadata')
if f[1] ~= ARGV[2] or f[2] ~= ARGV[3] or f[3] ~= ARGV[4] then return 'MOVED' end

local first = redis.call('LPOP', KEYS[2]) or ''
local _, events = move_events(task, KEYS[4], ARGV[19], ARGV[20], first, f[4] or '')
local at = 22
for n = at + 1, at + ARGV[at], 1000 do redis.call('HDEL', task, unpack(ARGV, n, math.min(n + 999, at + ARGV[at]))) end
at = at + ARGV[at] + 1
for n = at + 1, at + ARGV[at] do redis.call('RPUSH', KEYS[3], ARGV[n]) end
at = at + ARGV[at] + 1
local bytes = ARGV[14] + ARGV[15] + events
redis.call('HSET', task, 'h', first, 'b', ARGV[16], 'z', bytes - ARGV[16], unpack(ARGV, at))
redis.call('UNLINK', KEYS[4], KEYS[5])
for n = 20, #KEYS - 1 do redis.call('PEXPIRE', KEYS[n], ARGV[5]) end
for n = 1, 3 do redis.call('PEXPIRE', KEYS[n], ARGV[5]) end

for n = 12, 15 do redis.call('ZREM', KEYS[n], ARGV[6]) end
for n = 16, 15 + ARGV[21] do redis.call('ZADD', KEYS[n], 0, ARGV[6]) end
rank_task(KEYS[#KEYS], id, ARGV[4], ARGV[6])
redis.call('ZREM', KEYS[6], id)
redis.call('ZADD', ARGV[7] == '1' and KEYS[7] or KEYS[6], ARGV[8], id)
if ARGV[9] ~= '' then redis.call('ZADD', KEYS[8], ARGV[9], ARGV[10]) end
redis.call('HINCRBY', KEYS[9], ARGV[11], 1)
if ARGV[12] ~= '' then redis.call('HINCRBY', KEYS[9], ARGV[12], 1) end
if redis.call('HINCRBY', KEYS[11], ARGV[13], -1) <= 0 then redis.call('HDEL', KEYS[11], ARGV[13]) end
redis.call('HINCRBY', KEYS[10], ARGV[17], bytes)
redis.call('HINCRBY', KEYS[10], ARGV[18], bytes)
return 'DONE'
