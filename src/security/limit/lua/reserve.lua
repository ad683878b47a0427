-- Reserves a quota entry for a new task, if neither its client nor its tenant is at the limit: one step for all replicas.
-- A quota is a sorted set of task ids, scored by the time of their last check. Ended tasks are not removed here: the
-- process that finds a set nearly full checks which of its tasks have ended (quota.store.ts).
-- KEYS  1 the client's unfinished tasks
--       2 the tenant's waiting tasks
-- ARGV  1 task id
--       2 maximum unfinished
--       3 maximum waiting
--       4 ms until an unused set expires
-- Returns {1, fill level of the fuller set in percent, time in ms} | {0, number of the full key, time in ms}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fullest = 0
for at, key in ipairs(KEYS) do
  local count, most = redis.call('ZCARD', key), tonumber(ARGV[at + 1])
  if count >= most then return { 0, at, now } end
  fullest = math.max(fullest, math.floor(count * 100 / most))
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now, ARGV[1])
  redis.call('PEXPIRE', key, ARGV[4])
end
return { 1, fullest, now }
