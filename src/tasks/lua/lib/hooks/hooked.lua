-- The record of a task and its event log for the scripts of webhooks (src/webhooks). They access both only through this
-- file, so that only the scripts of tasks know the format of the record.
-- @include ../record/event.lua

-- Nil when there is no such task. 'hooks': the ids of its webhooks, a space between; 'seq': number of its latest event;
-- 'of_call': traceparent, tracestate and names of the call of its turn.
local function read_hooked(task_key)
  local f = redis.call('HMGET', task_key, field.word, field.owner, field.hooks, field.traceparent, field.tracestate, field.names)
  if not f[1] then return nil end
  local state, seq = string.match(f[1], '^(%S+) (%d+)')
  local of_call = { f[4] or '', f[5] or '', f[6] or '' }
  return { state = state, owner = f[2], seq = tonumber(seq), hooks = f[3] or '', of_call = of_call }
end

-- A task with webhooks has a pending request: its runs commit by commit.lua, which wakes the webhooks. The count of
-- changes is needed to wait for replicas.
local function put_hooks(task_key, hooks)
  redis.call('HSET', task_key, field.hooks, hooks, field.has_request, '1')
  redis.call('HINCRBY', task_key, field.changes, 1)
end

-- The events from a number on to the latest: {seq, nonce, body} each. The first one is later when the log was trimmed.
-- Bounded by count and bytes. A larger event comes alone with its size, {n, '', '', bytes}: its reader makes room first,
-- and reads it by itself.
local function read_events(task_key, latest, from, most, most_bytes)
  local events, bytes = {}, 0
  for n = math.max(tonumber(from), latest - KEPT + 1), latest do
    local size = event_bytes(task_key, n)
    bytes = bytes + size
    if #events > 0 and bytes > tonumber(most_bytes) then break end
    if size > tonumber(most_bytes) then
      events[1] = { n, '', '', size }
    elseif size > 0 then
      local event = read_event(task_key, n)
      local nonce = string.match(event, '^%S+')
      events[#events + 1] = { n, nonce, string.sub(event, #nonce + 2), 0 }
    end
    if #events >= tonumber(most) then break end
  end
  return events
end

-- The nonce of the writer of an event, or nil when the log does not have it.
local function nonce_of(task_key, seq)
  local event = redis.call('HGET', task_key, field.event .. seq)
  return event and string.match(event, '^%S+') or nil
end
