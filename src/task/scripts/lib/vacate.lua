-- Leaves a task without a run: a new fence makes every earlier run and job stale, and the sweep looks again at 'at'.
-- For a task that is to run, the fence is the wish to run: a job that names it may claim the task once.
local function vacate(task, due, id, now, at)
  redis.call('HSET', task, 'nonce', '', 'lease', 0, 'worker', '', 'vacant', now)
  redis.call('ZADD', due, at, id)
  return redis.call('HINCRBY', task, 'fence', 1)
end
