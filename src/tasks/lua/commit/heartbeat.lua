-- Renews the leases of a process' runs in one shard, and returns those that must stop.
-- Input
--   due_key
--   tasks …
--   lease_ms  lease, ms
--   grace_ms  grace of a cancel, ms
--   claims …  in the order of the tasks
--     id
--     holder  ' <fence> <nonce> ' as in the state word
-- Output
--   {'OK' | 'CANCEL' | 'LOST', …}
-- @include ../lib/run/now.lua
local now, verdicts = now_ms(), {}
keep_reserve(KEYS[tasks_from])
for n = tasks_from, tasks_to do
  local task_key, at = KEYS[n], claims_from + (n - tasks_from) * claims_step
  -- @row claims at
  local f = redis.call('HMGET', task_key, field.word, field.cancel)
  if f[1] and string.find(f[1], holder, 1, true) then
    local till = now + lease_ms
    redis.call('ZADD', due_key, 'XX', f[2] and math.min(till, f[2] + grace_ms) or till, id)
    verdicts[#verdicts + 1] = f[2] and 'CANCEL' or 'OK'
  else
    verdicts[#verdicts + 1] = 'LOST'
  end
end
return verdicts
