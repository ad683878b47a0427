-- Adds the webhooks of a task to the outbox of its shard, due now, and notifies the dispatchers. A webhook already in
-- the outbox is in delivery or waits for its next attempt, which finds the new event in the log.
local function wake_webhooks(outbox_key, hints, shard, id, hooks, now)
  local woken = 0
  for hook in string.gmatch(hooks, '%S+') do
    woken = woken + redis.call('ZADD', outbox_key, 'NX', now, id .. ' ' .. hook)
  end
  if woken > 0 then redis.call('PUBLISH', hints, shard) end
end
