-- Ends the expired waits of parked tasks of one shard. Each task is in its fair queue afterwards; one that is no longer
-- parked, or not due, is unchanged.
-- Input
--   due_key
--   parked_key         parked tasks
--   queue_key          fair queue
--   limited_queue_key  fair queue of skills with a limit
--   turns_key          positions of the queue
--   tasks …
--   stuck_ms           longest wait for a run, ms
--   elsewhere          position that other queues serve
--   ids …              ids of the tasks
-- Output
--   {number of woken tasks[, position served]}
-- @include ../lib/record/record.lua
-- @include ../lib/queue/wake.lua
local now, woken, serving = now_ms(), 0, nil
keep_reserve(KEYS[tasks_from])
for n = tasks_from, tasks_to do
  local id = ARGV[ids_from + n - tasks_from]
  local t, due = read_task(KEYS[n], id), tonumber(redis.call('ZSCORE', due_key, id) or now + 1)
  if not t or not is_parked(t) then
    redis.call('ZREM', parked_key, id)
  elseif due <= now then
    local _, served = wake(t, now, due)
    woken, serving = woken + 1, served or serving
  end
end
return { woken, serving }
