-- Webhooks of a task: fields '<name>:<config id>' of its push hash. 'config' is the record and 'next' the number of the
-- event to deliver next; the others belong to the cursor (lib/cursor.lua of src/webhooks). Needs now.lua and outbox.lua.
-- @include hook_bytes.lua

local function is_hook_of(hooks, hook)
  return string.find(' ' .. hooks .. ' ', ' ' .. hook .. ' ', 1, true) ~= nil
end

-- Whether a webhook fits into 'most' webhooks of a task, or replaces one.
local function has_room(hooks, hook, most)
  local _, count = string.gsub(hooks, '%S+', '')
  return is_hook_of(hooks, hook) or count < tonumber(most)
end

-- Stores a webhook: a new one gets the events from 'next' on, one with a known id replaces the old one and keeps its
-- cursor. An active delivery to the old one loses its lease. 'of': 'task_key', 'push_key', 'outbox_key' and
-- 'bytes_key'; 'id' and 'hooks' of the task, 'seq' of its latest event; 'hints' and 'shard' of the dispatchers. Returns
-- the task's hooks.
local function put_hook(of, hook, record, next)
  local push_key, hooks = of.push_key, of.hooks
  redis.call('HSET', push_key, 'config:' .. hook, record)
  if is_hook_of(hooks, hook) then
    for _, name in ipairs({ 'dead', 'tries', 'since', 'after', 'body', 'span', 'refused', 'lease', 'until' }) do
      redis.call('HDEL', push_key, name .. ':' .. hook)
    end
    redis.call('ZREM', of.outbox_key, of.id .. ' ' .. hook)
  else
    redis.call('HSET', push_key, 'next:' .. hook, next)
    hooks = hooks == '' and hook or hooks .. ' ' .. hook
  end
  count_hook(of.task_key, push_key, hook, of.bytes_key)
  if tonumber(redis.call('HGET', push_key, 'next:' .. hook)) <= of.seq then
    wake_webhooks(of.outbox_key, of.hints, of.shard, of.id, hook, now_ms())
  end
  return hooks
end
