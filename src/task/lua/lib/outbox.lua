-- Puts the webhooks of a task into the outbox of its shard, as due now, and tells the dispatchers. A webhook that stands
-- there already is being served or waits for its next attempt, and will find the new event by itself.
local function wake_webhooks(outbox, hints, shard, id, hooks, now)
  local woken = 0
  for hook in string.gmatch(hooks, '%S+') do
    woken = woken + redis.call('ZADD', outbox, 'NX', now, id .. ' ' .. hook)
  end
  if woken > 0 then redis.call('PUBLISH', hints, shard) end
end
