-- The line of a shard: runs that were asked for and have not begun. Each has a place, and the lower place is served
-- first (start-time fair queueing): a run stands one place behind the last one of its tenant, and never before the place
-- that is being served. So a tenant with ten thousand runs in line does not keep another's first one waiting.
-- One hash: 'all' runs in line, 'now' the place last served, 'last:<tenant>' that of the tenant's newest run. It goes
-- when the line is empty; places begin at 0 again then.
local function line_of(task)
  return string.match(task, '^(.*):task:') .. ':line'
end

local function join_line(task)
  local line, last = line_of(task), 'last:' .. redis.call('HGET', task, 'tenant')
  local f = redis.call('HMGET', line, 'now', last)
  local place = math.max(tonumber(f[1] or 0), tonumber(f[2] or -1) + 1)
  redis.call('HSET', line, last, place)
  redis.call('HINCRBY', line, 'all', 1)
  redis.call('HSET', task, 'place', place)
  return place
end

-- A run that begins moves the line on; one that is given up leaves it as it is.
local function leave_line(task, served)
  local place = redis.call('HGET', task, 'place')
  if not place then return end
  local line = line_of(task)
  redis.call('HDEL', task, 'place')
  if redis.call('HINCRBY', line, 'all', -1) <= 0 then
    redis.call('DEL', line)
  elseif served and tonumber(place) > tonumber(redis.call('HGET', line, 'now') or 0) then
    redis.call('HSET', line, 'now', place)
  end
end
