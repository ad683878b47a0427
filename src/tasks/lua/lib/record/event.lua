-- A stored event of a task, '<nonce> <event>'; nil when the log lacks it. The first one ends where the first message
-- begins: no message is stored twice.
local function read_event(task_key, n)
  local event = redis.call('HGET', task_key, field.event .. n)
  if not event or string.sub(event, -1) ~= '[' then return event or nil end
  local f = redis.call('HMGET', task_key, field.first_message, field.metadata)
  return event .. f[1] .. (f[2] and '],"metadata":' .. f[2] or ']') .. '}}'
end

-- Bytes of a stored event, 0 when the log lacks it. A script that reads a value takes five times as long as the command
-- that does: it leaves a large event to its caller.
local function event_bytes(task_key, n)
  local bytes = redis.call('HSTRLEN', task_key, field.event .. n)
  if n > 1 or bytes == 0 then return bytes end
  return bytes + redis.call('HSTRLEN', task_key, field.first_message)
end

-- Number of events kept in the log, the latest ones.
local KEPT = 20000
