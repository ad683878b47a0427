-- The webhooks of a task, for its owner. Nothing of a foreign task is read or returned, so that neither the reply nor
-- its time tells it from a missing one.
-- Input
--   task_key       task
--   push_key       push
--   attempts_key   attempts
--   owner          owner
--   with_attempts  '1' for the attempts, too
-- Output
--   {{field, value, …} of the webhooks, {attempt, …}}, or nil when the task is missing or foreign
if redis.call('HGET', task_key, field.owner) ~= owner then return nil end
return { redis.call('HGETALL', push_key), with_attempts == '1' and redis.call('LRANGE', attempts_key, 0, -1) or {} }
