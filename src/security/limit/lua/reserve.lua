-- Counts a task that is about to begin, if its client and its tenant have room for it: both in one step, for all replicas.
-- A count is a set of task ids with the time at which each was last looked at. A task that ends gives nothing back:
-- whoever finds a set nearly full looks which of its tasks are over (quota.store.ts).
-- KEYS  1 the client's unfinished tasks  2 the tenant's tasks in line
-- ARGV  1 task id  2 most unfinished  3 most in line  4 ms after which a set that nobody adds to is forgotten
-- Returns {1, fullest in percent, ms of the clock} | {0, number of the key without room, ms of the clock}
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
