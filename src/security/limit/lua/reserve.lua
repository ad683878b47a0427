-- Reserves quota entries for new tasks of one client, in their order, as many as client and tenant have room for: one
-- step for all replicas. A quota is a sorted set of task ids, scored by the time of their last check. Ended
-- tasks are not removed here: the process that finds a set nearly full checks which of its tasks have ended
-- (quota.store.ts).
-- KEYS  1 the client's unfinished tasks
--       2 the tenant's waiting tasks
-- ARGV  1 maximum unfinished
--       2 maximum waiting
--       3 ms until an unused set expires
--       4 … task ids
-- Returns {number of reserved ids, fill level of the fuller set before in percent, number of the full key or 0, time in ms}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reserved, fullest, full = #ARGV - 3, 0, 0
for at, key in ipairs(KEYS) do
  local count, most = redis.call('ZCARD', key), tonumber(ARGV[at])
  fullest = math.max(fullest, math.floor(count * 100 / most))
  if most - count < reserved then reserved, full = math.max(0, most - count), at end
end
if reserved > 0 then
  local entries = {}
  for at = 1, reserved do
    entries[at * 2 - 1], entries[at * 2] = now, ARGV[at + 3]
  end
  for _, key in ipairs(KEYS) do
    redis.call('ZADD', key, unpack(entries))
    redis.call('PEXPIRE', key, ARGV[3])
  end
end
return { reserved, fullest, full, now }
