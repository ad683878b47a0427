-- Makes children for the run that holds a task, and stores the run's journal with them: what a child depends on is stored
-- with it. A child that is there already is found: its id follows from its parent and its call. Children beyond the limit of
-- their group are held until others end (lib/parent.lua).
-- KEYS  1 task
--       2 its journal
--       3 its children
--       4 its held children
--       5 limits of its tree
--       6 due
--       7 fair queue
--       8 fair queue of skills with a limit
--       9 positions of the queue
--       10 counts
--       11 stored bytes
--       12 open tasks of the tree
--       13 tasks of the tree by state and time
--       14 open trees
--       15 … children
-- ARGV  1 fence
--       2 nonce
--       3 open states
--       4 TTL of the task, ms
--       5 most bytes of a journal, 6 most entries
--       7 account of the tenant, 8 account of the client; '' for none
--       9 turn that is replayed, and the number of the event before its first yield
--       10 longest wait for a run, ms
--       11 TTL of a child, ms; a held one is due then
--       12 tenant
--       13 position that other queues serve
--       14 most children of a task, 15 most tasks of a tree, 16 most levels and transfers: for a tree that has no child yet
--       17 level of the children, 1 below the root
--       18 how many of entries of the journal (name, value) follow, and they
--       … how many of groups (name, text) follow, and they; one that is there stays as it is
--       … children: id, group, word, entry of the lists, member of the queue, field of the counts, bytes, '1' when it is
--         detached or 'T' when the conversation is handed over to it, how many of fields (name, value) follow, and they
-- Returns {'OK', attempt, settled groups so far, runs in the fair queues, position served} | {'GONE' | 'TERMINAL' | 'FENCED'}
--       | {'CANCEL'} | {'FULL'} there is no room in the journal | {'CHILDREN' | 'TASKS' | 'DEPTH' | 'TRANSFERS', most} more than the task or
--       its tree may have
-- @include lib/word.lua
-- @include lib/now.lua
-- @include lib/journal.lua
-- @include lib/fair_queue.lua
-- @include lib/rank.lua
-- @include lib/group.lua
local f, now = redis.call('HMGET', KEYS[1], 's', 'k', 'wc', 'ce'), now_ms()
local t = f[1] and read_word(f[1])
local why = refused(t, ARGV[1], ARGV[2], ARGV[3])
if why then return { why } end
if f[2] or redis.call('HEXISTS', KEYS[5], 'canceled') == 1 then return { 'CANCEL' } end
local last_entry = 18 + ARGV[18]
local groups_at = last_entry + 2
local at = groups_at + ARGV[groups_at - 1]
local fresh = 0
for n = groups_at, at - 1, 2 do
  if redis.call('HEXISTS', KEYS[3], 'g:' .. ARGV[n]) == 0 then fresh = fresh + string.match(ARGV[n + 1], '^%d+') end
end
local used = { redis.call('HGET', KEYS[3], '#') or 0, redis.call('HGET', KEYS[5], 'tasks') or 0 }
-- Another setting counts for trees that begin after it.
local allowed = redis.call('HGET', KEYS[5], 'allowed') or table.concat({ ARGV[14], ARGV[15], ARGV[16] }, ' ')
local most = {}
for number in string.gmatch(allowed, '%d+') do most[#most + 1] = tonumber(number) end
-- What undoes the work of a task has room in a tree that is full.
if f[4] then most = { math.huge, math.huge, math.huge } end
if tonumber(ARGV[17]) > most[3] then return { 'DEPTH', most[3] } end
if used[1] + fresh > most[1] then return { 'CHILDREN', most[1] } end
if used[2] + fresh > most[2] then return { 'TASKS', most[2] } end
local handed, n = tonumber(redis.call('HGET', KEYS[5], 'transfers') or 0), at
while n <= #ARGV do
  if ARGV[n + 7] == 'T' and redis.call('HEXISTS', KEYS[3], ARGV[n]) == 0 then handed = handed + 1 end
  n = n + 9 + ARGV[n + 8]
end
if handed > (most[4] or math.huge) then return { 'TRANSFERS', most[4] } end
if not has_journal_room(KEYS[1], KEYS[2], 19, last_entry, { size = ARGV[5], entries = ARGV[6] }) then return { 'FULL' } end

redis.call('HSET', KEYS[1], 'f', ARGV[9], 'x', '1', 'ch', '1')
if add_to_journal(KEYS[1], KEYS[2], 19, last_entry, { ttl = ARGV[4], sums = KEYS[11], tenant = ARGV[7], client = ARGV[8] }) > 0
  and t.attempt > 0 then
  t.attempt = 0
  redis.call('HSET', KEYS[1], 's', word_of(t))
end
redis.call('HINCRBY', KEYS[3], '#', fresh)
redis.call('HINCRBY', KEYS[5], 'tasks', fresh)
redis.call('HSET', KEYS[5], 'allowed', allowed)
if handed > 0 then redis.call('HSET', KEYS[5], 'transfers', handed) end
if ARGV[17] == '1' then redis.call('ZADD', KEYS[14], 'NX', now, string.match(KEYS[1], '[^:]+$')) end
local groups, runs, served = {}, 0, nil
n = 15
local queues = { due = KEYS[6], queue = KEYS[7], limited_queue = KEYS[8], turns = KEYS[9] }
for g = groups_at, at - 1, 2 do redis.call('HSETNX', KEYS[3], 'g:' .. ARGV[g], ARGV[g + 1]) end
while at <= #ARGV do
  local id, name, word, entry, member, count, bytes, detached, fields = unpack(ARGV, at, at + 8)
  groups[name] = groups[name] or read_group(KEYS[3], name)
  local g = groups[name]
  if not g.settled and redis.call('HSETNX', KEYS[3], id, name .. ' -') == 1 then
    redis.call('HSET', KEYS[n], 's', word, unpack(ARGV, at + 9, at + 8 + fields))
    if detached == '1' then
      redis.call('HSET', KEYS[3], 'd:' .. id, 1)
      redis.call('HSET', KEYS[5], 'detached', 1)
    elseif detached == 'T' then
      redis.call('HSET', KEYS[1], 'cv', id)
    end
    redis.call('PEXPIRE', KEYS[n], ARGV[11])
    redis.call('ZADD', KEYS[12], 0, entry)
    rank_task(KEYS[13], id, word, entry)
    redis.call('HINCRBY', KEYS[10], count, 1)
    if ARGV[7] ~= '' then
      redis.call('HINCRBY', KEYS[11], ARGV[7], bytes)
      redis.call('HINCRBY', KEYS[11], ARGV[8], bytes)
    end
    if g.limit > 0 and g.running >= g.limit then
      redis.call('RPUSH', KEYS[4], name .. ' ' .. member)
      redis.call('ZADD', KEYS[6], now + ARGV[11], id)
    else
      local _, position = release_child(member, queues, ARGV[12], ARGV[13], now + ARGV[10])
      g.running, runs, served = g.running + 1, runs + 1, position or served
    end
  end
  at, n = at + 9 + fields, n + 1
end
for name, g in pairs(groups) do put_group(KEYS[3], name, g) end
for key = 3, 5 do redis.call('PEXPIRE', KEYS[key], ARGV[key == 5 and 11 or 4]) end
return { 'OK', t.attempt, tonumber(f[3] or 0), runs, served }
