-- An event of a task as it is stored, '<nonce> <event>'; nil when the log does not have it. The first one ends where the
-- message begins that made the task: no message is stored twice.
local function read_event(task_key, n)
  local event = redis.call('HGET', task_key, field.event .. n)
  if not event or string.sub(event, -1) ~= '[' then return event or nil end
  local f = redis.call('HMGET', task_key, field.first_message, field.metadata)
  return event .. f[1] .. (f[2] and '],"metadata":' .. f[2] or ']') .. '}}'
end

-- The log keeps so many events, the latest.
local KEPT = 20000
