-- Ends a task from outside of its run. The scripts with this file share the beginning of their input: see settle.lua.
-- @include ../hooks/publish.lua
-- @include ../queue/leave_queues.lua
-- @include end.lua
-- @include ../queue/runs.lua
-- @include ../tree/parent.lua

-- The sweep cancels the remaining children of a task; the caller that ends it may do so at once.
local function cancel_children(t, now)
  if redis.call('HEXISTS', t.key, field.has_children) == 1 then redis.call('ZADD', cascade_key, now, t.id) end
end

-- A task with work to undo does not end yet: it gets one more turn, which undoes the work and then ends it; no cancel
-- reaches that turn. It is parked with an expired wait, so the sweep puts its run into the fair queue.
local function undoes_first(t, now)
  local f = redis.call('HMGET', t.key, field.has_undo, field.ending)
  if not f[1] or f[2] then return false end
  keep_reserve(t.key)
  leave_queues(t, false)
  if t.nonce ~= '-' then log_end(t, now, state == 'TASK_STATE_CANCELED' and 'canceled' or 'failed') end
  t.nonce, t.fence, t.turn, t.attempt = PARKED, t.fence + 1, t.turn + 1, 0
  redis.call('HSET', t.key, field.word, word_of(t), field.ending, state .. ' ' .. message, field.has_request, '1')
  redis.call('HDEL', t.key, field.cancel, field.signals, field.questions)
  if is_one_of(t.state, waiting_states) then redis.call('HSET', t.key, field.is_shown, '1') end
  redis.call('PEXPIRE', t.key, ttl)
  redis.call('ZADD', due_key, now, t.id)
  redis.call('ZADD', parked_key, now, t.id)
  cancel_children(t, now)
  return true
end

local function end_task(t, now)
  keep_reserve(t.key)
  local before, entry = t.state, t.ms .. ':' .. t.id
  if t.message ~= '' then append(history_key, ttl, t.message) end
  append(states_key, ttl, state .. ' ' .. ms)
  leave_queues(t, false)
  if t.nonce ~= '-' then log_end(t, now, state == 'TASK_STATE_CANCELED' and 'canceled' or 'lost') end
  vacate(t)
  t.state, t.seq, t.last = state, t.seq + 1, nonce
  redis.call('HSET', t.key, field.word, word_of(t), field.status, ms .. ' ' .. message, field.event .. t.seq, nonce .. ' ' .. event)
  redis.call('PEXPIRE', t.key, ttl)
  redis.call('ZREM', due_key, t.id)
  redis.call('ZREM', parked_key, t.id)
  redis.call('HDEL', t.key, field.signals)
  unlist_open(before, entry, t.named == '1')
  list_ended(t.id, state, ms .. ':' .. t.id, { purge_at = now + kept_ms, named = t.named == '1', listed = true })
  count_state(counts_key, t.skill, before, state)
  cancel_children(t, now)
  if has_child then
    end_child({ key = t.key, id = t.id, member = t.member, tenant = t.tenant, state = t.state, nonce = nonce, note = note }, now)
  end
  publish_events(t, now, function() return t.id .. ' ' .. t.seq .. ' ' .. nonce .. ' ' .. event end)
end
