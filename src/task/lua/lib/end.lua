-- Ends a task from outside of its run. The scripts that do so begin their KEYS and ARGV alike:
-- KEYS  1 task
--       2 due
--       3 fair queue
--       4 fair queue of skills with a limit
--       5 positions of the queue
--       6 counts
--       7 history
--       8 states
--       9 outbox
--       10 ended tasks by the time of their purge
--       11 owner's open tasks
--       12 owner's ended tasks
--       13 owner's open tasks of the context
--       14 owner's ended tasks of the context
--       15 owner's tasks that ended in this state
--       16 parked tasks
--       17 tasks whose children are to be canceled
--       … of a child: its parent, the parent's children, its held children, notes that wait for it
--       … owner's tasks of the context that ended in this state
--       … owner's open tasks by state, and those of the context (lib/relist.lua)
--       last: tenant's tasks
-- ARGV  1 task id
--       2 nonce
--       3 states that may end so
--       4 terminal state
--       5 event
--       6 ms of the status
--       7 status message or ''
--       8 retention, ms
--       9 TTL of the task, ms
--       10 channel of the dispatchers
--       11 shard
--       12 longest wait for a run, ms
--       13 position that other queues serve
--       14 of a child: what its parent's log says of its end, or ''
--       15 states that questions interrupt
-- @include publish.lua
-- @include fair_queue.lua
-- @include rank.lua
-- @include relist.lua
-- @include runs.lua
-- @include parent.lua

-- The sweep cancels what children a task has left, and whoever ends it may do so at once.
local function cancel_children(t, now)
  if redis.call('HEXISTS', t.key, 'ch') == 1 then redis.call('ZADD', KEYS[17], now, t.id) end
end

-- A task with work to undo does not end yet: it gets one more turn, which undoes the work and then ends it so; no cancel reaches
-- that turn. It is parked with a wait that is over, so the sweep puts its run into the fair queue.
local function undoes_first(t, now)
  local f = redis.call('HMGET', t.key, 'un', 'ce')
  if not f[1] or f[2] then return false end
  keep_reserve(t.key)
  local queue, other = KEYS[3], KEYS[4]
  if t.limited == '1' then queue, other = other, queue end
  leave_queue(queue, other, KEYS[5], t.member, false)
  if t.nonce ~= '-' then log_end(t, now, ARGV[4] == 'TASK_STATE_CANCELED' and 'canceled' or 'failed') end
  t.nonce, t.fence, t.turn, t.attempt = PARKED, t.fence + 1, t.turn + 1, 0
  redis.call('HSET', t.key, 's', word_of(t), 'ce', ARGV[4] .. ' ' .. ARGV[7], 'x', '1')
  redis.call('HDEL', t.key, 'k', 'l', 'qs')
  if is_one_of(t.state, ARGV[15]) then redis.call('HSET', t.key, 'sh', '1') end
  redis.call('PEXPIRE', t.key, ARGV[9])
  redis.call('ZADD', KEYS[2], now, t.id)
  redis.call('ZADD', KEYS[16], now, t.id)
  cancel_children(t, now)
  return true
end

local function end_task(t, now)
  keep_reserve(t.key)
  local before, entry = t.state, t.ms .. ':' .. t.id
  if t.message ~= '' then append(KEYS[7], ARGV[9], t.message) end
  append(KEYS[8], ARGV[9], ARGV[4] .. ' ' .. ARGV[6])
  local queue, other = KEYS[3], KEYS[4]
  if t.limited == '1' then queue, other = other, queue end
  leave_queue(queue, other, KEYS[5], t.member, false)
  if t.nonce ~= '-' then log_end(t, now, ARGV[4] == 'TASK_STATE_CANCELED' and 'canceled' or 'lost') end
  vacate(t)
  t.state, t.seq, t.last = ARGV[4], t.seq + 1, ARGV[2]
  redis.call('HSET', t.key, 's', word_of(t), 't', ARGV[6] .. ' ' .. ARGV[7], 'e' .. t.seq, ARGV[2] .. ' ' .. ARGV[5])
  redis.call('PEXPIRE', t.key, ARGV[9])
  redis.call('ZREM', KEYS[2], t.id)
  redis.call('ZREM', KEYS[16], t.id)
  redis.call('HDEL', t.key, 'l')
  redis.call('ZADD', KEYS[10], now + ARGV[8], t.id)
  redis.call('ZREM', KEYS[11], entry)
  relist(before, entry, nil, nil, t.named == '1')
  entry = ARGV[6] .. ':' .. t.id
  redis.call('ZADD', KEYS[12], 0, entry)
  redis.call('ZADD', KEYS[15], 0, entry)
  if t.named == '1' then
    redis.call('ZREM', KEYS[13], t.ms .. ':' .. t.id)
    redis.call('ZADD', KEYS[14], 0, entry)
    redis.call('ZADD', KEYS[#KEYS - 7], 0, entry)
  end
  rank_task(KEYS[#KEYS], t.id, ARGV[4], ARGV[6])
  count_state(KEYS[6], t.skill, before, ARGV[4])
  cancel_children(t, now)
  if #KEYS > 25 then
    local keys = { parent_task = KEYS[18], children = KEYS[19], held = KEYS[20], notes = KEYS[21], due = KEYS[2],
      parked = KEYS[16], queue = KEYS[3], limited_queue = KEYS[4], turns = KEYS[5],
      outbox = KEYS[9], hints = ARGV[10], shard = ARGV[11], ttl = ARGV[9] }
    local child = { key = t.key, id = t.id, member = t.member, tenant = t.tenant, state = t.state, nonce = ARGV[2], note = ARGV[14] }
    end_child(child, keys, now, ARGV[12], ARGV[13])
  end
  publish_events(t, now, KEYS[9], ARGV[10], ARGV[11], function() return t.id .. ' ' .. t.seq .. ' ' .. ARGV[2] .. ' ' .. ARGV[5] end)
end
