-- Webhooks of a task: fields '<name>:<config id>' of its push hash. 'config' is the record and 'next' the number of the
-- event to deliver next; the others belong to the cursor (lib/cursor.lua of src/push). Needs now.lua and wake_hooks.lua.

local function is_hook_of(hooks, hook)
  return string.find(' ' .. hooks .. ' ', ' ' .. hook .. ' ', 1, true) ~= nil
end

-- Whether a webhook may be added, or replaces one, where a task may have 'most'.
local function has_room(hooks, hook, most)
  local _, count = string.gsub(hooks, '%S+', '')
  return is_hook_of(hooks, hook) or count < tonumber(most)
end

-- Stores a webhook: a new one gets the events from 'next' on, one with a known id replaces the old one and keeps its
-- cursor. An active delivery to the old one loses its lease. 'seq': the latest event. Returns the task's hooks.
local function put_hook(task, hooks, hook, record, next, seq)
  local push, id = task .. ':push', string.match(task, '[^:]*$')
  redis.call('HSET', push, 'config:' .. hook, record)
  if is_hook_of(hooks, hook) then
    for _, name in ipairs({ 'dead', 'tries', 'since', 'after', 'body', 'span', 'refused', 'lease', 'until' }) do
      redis.call('HDEL', push, name .. ':' .. hook)
    end
    redis.call('HINCRBY', push, 'wake:' .. hook, 1)
    redis.call('ZREM', string.gsub(task, ':task:.*$', '') .. ':pushes', id .. ' ' .. hook)
  else
    redis.call('HSET', push, 'next:' .. hook, next)
    hooks = hooks == '' and hook or hooks .. ' ' .. hook
  end
  if tonumber(redis.call('HGET', push, 'next:' .. hook)) <= seq then wake_hooks(task, hook) end
  return hooks
end
