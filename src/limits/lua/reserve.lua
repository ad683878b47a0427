-- Reserves quota entries for new tasks of one client, in their order, as many as client and tenant have room for: one
-- step for all replicas. A quota is a sorted set of task ids, scored by the time of their last check. Ended
-- tasks are not removed here: the process that finds a set nearly full checks which of its tasks have ended
-- (quota.store.ts).
-- Input
--   live_key     the client's unfinished tasks
--   waiting_key  the tenant's waiting tasks
--   max_live     maximum unfinished
--   max_waiting  maximum waiting
--   keep_ms      ms until an unused set expires
--   ids …        task ids
-- Output
--   {number of reserved ids, fill level of the fuller set before in percent, number of the full key or 0, time in ms}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reserved, fullest, full = ids_to - ids_from + 1, 0, 0
local function check(key, limit, number)
  local count, most = redis.call('ZCARD', key), tonumber(limit)
  fullest = math.max(fullest, math.floor(count * 100 / most))
  if most - count < reserved then reserved, full = math.max(0, most - count), number end
end
check(live_key, max_live, 1)
check(waiting_key, max_waiting, 2)
if reserved > 0 then
  local entries = {}
  for at = 1, reserved do
    entries[at * 2 - 1], entries[at * 2] = now, ARGV[ids_from + at - 1]
  end
  for _, key in ipairs({ live_key, waiting_key }) do
    redis.call('ZADD', key, unpack(entries))
    redis.call('PEXPIRE', key, keep_ms)
  end
end
return { reserved, fullest, full, now }
