-- Ends the waits of parked tasks of one shard whose time has come. Each is in its fair queue when this returns; a task that is
-- not parked any more, or not due, is left as it is.
-- KEYS  1 due
--       2 parked tasks
--       3 fair queue
--       4 fair queue of skills with a limit
--       5 positions of the queue
--       6 … tasks
-- ARGV  1 longest wait for a run, ms
--       2 position that other queues serve
--       3 … ids of the tasks
-- Returns {how many were woken[, position served]}
-- @include lib/record.lua
-- @include lib/wake.lua
local now, woken, serving = now_ms(), 0, nil
local keys = { due = KEYS[1], parked = KEYS[2], queue = KEYS[3], limited_queue = KEYS[4], turns = KEYS[5] }
keep_reserve(KEYS[6])
for n = 6, #KEYS do
  local id = ARGV[n - 3]
  local t, due = read_task(KEYS[n], id), tonumber(redis.call('ZSCORE', KEYS[1], id) or now + 1)
  if not t or not is_parked(t) then
    redis.call('ZREM', KEYS[2], id)
  elseif due <= now then
    local _, served = wake(t, now, keys, due, ARGV[1], ARGV[2])
    woken, serving = woken + 1, served or serving
  end
end
return { woken, serving }
