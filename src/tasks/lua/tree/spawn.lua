-- Creates children for the run that holds a task, and stores the run's journal with them, since the children depend on
-- it. An existing child is found again: its id follows from its parent and its call. Children with a slot in this process
-- begin at once; those beyond the limit of their group are held until others end (lib/tree/parent.lua).
-- Input
--   task_key
--   journal_key
--   children_key              its children and their groups
--   held_key                  its held children
--   tree_key                  limits of its tree
--   due_key                   open tasks by the time of their next check
--   queue_key                 fair queue
--   limited_queue_key         fair queue of skills with a limit
--   turns_key                 positions of the queues
--   counts_key
--   bytes_key                 stored bytes by account
--   open_key                  open tasks of the tree
--   tree_tasks_key            tasks of the tree by state and time
--   trees_key                 open trees
--   child_tasks …             the children, in the order of new_children
--   fence
--   nonce
--   open_states
--   ttl                       of the task, ms
--   max_journal_bytes
--   max_journal_entries
--   tenant_account            '' for none
--   client_account
--   replay                    turn that is replayed, and the number of the event before its first yield
--   stuck_ms                  longest wait for a run
--   lease_ms                  of the children that begin
--   child_ttl                 of a child, ms; a held one is due then
--   tenant
--   elsewhere                 position that other queues serve
--   max_children              of a task; this and the next three are for a tree that has no child yet
--   max_tasks                 of a tree
--   max_depth                 levels of a tree
--   max_transfers             of a tree
--   depth                     level of the children, 1 below the root
--   entries …                 entries of the journal: name, value
--   groups …                  an existing one is unchanged
--     name
--     text
--   new_children …
--     id
--     group
--     word
--     claimed_word            word when its run begins in this process, '' when it must wait
--     entry                   in the lists
--     member                  of the queue
--     count                   field of the counts
--     bytes
--     kind                    '1' when it is detached, 'T' when the conversation is handed over to it, else ''
--     fields …                of its record: name, value
-- Output
--   {'OK', attempt, settled groups so far, runs in the fair queues, position served or nil, {id of a child that begins, …}}
--   {'GONE' | 'TERMINAL' | 'FENCED'}
--   {'CANCEL'}
--   {'FULL'} there is no room in the journal
--   {'CHILDREN' | 'TASKS' | 'DEPTH' | 'TRANSFERS', most} above the limits of the task or its tree
-- @include ../lib/record/word.lua
-- @include ../lib/run/now.lua
-- @include ../lib/run/journal.lua
-- @include ../lib/queue/fair_queue.lua
-- @include ../lib/record/rank.lua
-- @include ../lib/tree/group.lua
local f, now = redis.call('HMGET', task_key, field.word, field.cancel, field.settled_groups, field.ending), now_ms()
local t = f[1] and read_word(f[1])
local why = refused(t, fence, nonce, open_states)
if why then return { why } end
if f[2] or redis.call('HEXISTS', tree_key, 'canceled') == 1 then return { 'CANCEL' } end
local fresh = 0
for at = groups_from, groups_to, groups_step do
  -- @row groups at
  if redis.call('HEXISTS', children_key, 'g:' .. name) == 0 then fresh = fresh + string.match(text, '^%d+') end
end
local used = { redis.call('HGET', children_key, '#') or 0, redis.call('HGET', tree_key, 'tasks') or 0 }
-- A changed setting applies to trees that begin after it.
local allowed = redis.call('HGET', tree_key, 'allowed') or table.concat({ max_children, max_tasks, max_depth, max_transfers }, ' ')
local most = {}
for number in string.gmatch(allowed, '%d+') do most[#most + 1] = tonumber(number) end
-- Compensations have room in a full tree.
if f[4] then most = { math.huge, math.huge, math.huge } end
if tonumber(depth) > most[3] then return { 'DEPTH', most[3] } end
if used[1] + fresh > most[1] then return { 'CHILDREN', most[1] } end
if used[2] + fresh > most[2] then return { 'TASKS', most[2] } end
local handed, at = tonumber(redis.call('HGET', tree_key, 'transfers') or 0), new_children_from
while at <= new_children_to do
  -- @row new_children at
  if kind == 'T' and redis.call('HEXISTS', children_key, id) == 0 then handed = handed + 1 end
  at = fields_to + 1
end
if handed > (most[4] or math.huge) then return { 'TRANSFERS', most[4] } end
if not has_journal_room(task_key, journal_key, entries_from, entries_to) then return { 'FULL' } end

redis.call('HSET', task_key, field.replay, replay, field.has_request, '1', field.has_children, '1')
if add_to_journal(task_key, journal_key, entries_from, entries_to) > 0 and t.attempt > 0 then
  t.attempt = 0
  redis.call('HSET', task_key, field.word, word_of(t))
end
redis.call('HINCRBY', children_key, '#', fresh)
redis.call('HINCRBY', tree_key, 'tasks', fresh)
redis.call('HSET', tree_key, 'allowed', allowed)
if handed > 0 then redis.call('HSET', tree_key, 'transfers', handed) end
if depth == '1' then redis.call('ZADD', trees_key, 'NX', now, string.match(task_key, '[^:]+$')) end
for row = groups_from, groups_to, groups_step do
  -- @row groups row
  redis.call('HSETNX', children_key, 'g:' .. name, text)
end
local groups, runs, served, child_at, begun = {}, 0, nil, child_tasks_from, {}
at = new_children_from
while at <= new_children_to do
  -- @row new_children at
  local child_key = KEYS[child_at]
  groups[group] = groups[group] or read_group(children_key, group)
  local g = groups[group]
  if not g.settled and redis.call('HSETNX', children_key, id, group .. ' -') == 1 then
    local is_held = g.limit > 0 and g.running >= g.limit
    -- Like begin.lua: no child overtakes a run that waits.
    local begins = not is_held and claimed_word ~= ''
      and redis.call('EXISTS', string.find(member, ' ', 1, true) and limited_queue_key or queue_key) == 0
    redis.call('HSET', child_key, field.word, begins and claimed_word or word, unpack(ARGV, fields_from, fields_to))
    if kind == '1' then
      redis.call('HSET', children_key, 'd:' .. id, 1)
      redis.call('HSET', tree_key, 'detached', 1)
    elseif kind == 'T' then
      redis.call('HSET', task_key, field.conversation, id)
    end
    redis.call('PEXPIRE', child_key, child_ttl)
    redis.call('ZADD', open_key, 0, entry)
    rank_task(tree_tasks_key, id, word, entry)
    redis.call('HINCRBY', counts_key, count, 1)
    if tenant_account ~= '' then
      redis.call('HINCRBY', bytes_key, tenant_account, bytes)
      redis.call('HINCRBY', bytes_key, client_account, bytes)
    end
    if begins then
      redis.call('ZADD', due_key, now + lease_ms, id)
      g.running, begun[#begun + 1] = g.running + 1, id
    elseif is_held then
      redis.call('RPUSH', held_key, group .. ' ' .. member)
      redis.call('ZADD', due_key, now + child_ttl, id)
    else
      local _, position = release_child(member, tenant, now + stuck_ms)
      g.running, runs, served = g.running + 1, runs + 1, position or served
    end
  elseif claimed_word ~= '' and redis.call('HGET', child_key, field.word) == claimed_word then
    -- The nonce is unique to this call, whose reply was lost.
    begun[#begun + 1] = id
  end
  at, child_at = fields_to + 1, child_at + 1
end
for name, g in pairs(groups) do put_group(children_key, name, g) end
redis.call('PEXPIRE', children_key, ttl)
redis.call('PEXPIRE', held_key, ttl)
redis.call('PEXPIRE', tree_key, child_ttl)
return { 'OK', t.attempt, tonumber(f[3] or 0), runs, served or false, begun }
