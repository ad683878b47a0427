-- Adds the webhooks of a task to the outbox of its shard, due now, and publishes a hint to the dispatchers. A webhook that
-- is already there is being delivered or waits for a retry, and will find the new event by itself.
local function wake_hooks(task, hooks)
  local prefix, shard = string.match(task, '^(.*):{s(%x%x)}:task:')
  local outbox, woken = prefix .. ':{s' .. shard .. '}:pushes', 0
  for hook in string.gmatch(hooks, '%S+') do
    woken = woken + redis.call('ZADD', outbox, 'NX', now_ms(), string.match(task, '[^:]*$') .. ' ' .. hook)
  end
  if woken > 0 then redis.call('PUBLISH', prefix .. ':pushes', shard) end
end
