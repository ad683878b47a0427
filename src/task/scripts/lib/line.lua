-- The line of a shard: runs that were asked for and have not begun. Each has a place, and the lower place is served
-- first (start-time fair queueing): a run stands one place behind the last one of its tenant, and never before the place
-- that is being served. So a tenant with ten thousand runs in line does not keep another's first one waiting.
-- One hash: 'all' runs in line, 'now' the place last served, 'last:<tenant>' that of the tenant's newest run. It goes
-- when the line is empty; places begin at 0 again then.
local function join_line(t)
  local line, last = t.shard .. ':line', 'last:' .. t.tenant
  local f = redis.call('HMGET', line, 'all', 'now', last)
  local place = math.max(tonumber(f[2] or 0), tonumber(f[3] or -1) + 1)
  redis.call('HSET', line, 'all', (f[1] or 0) + 1, last, place)
  put(t, 'place', place)
  return place
end

-- A run that begins moves the line on; one that is given up leaves it as it is.
local function leave_line(t, served)
  if t.place == '' then return end
  local line, place = t.shard .. ':line', tonumber(t.place)
  local f = redis.call('HMGET', line, 'all', 'now')
  local now = tonumber(f[2] or 0)
  if tonumber(f[1]) <= 1 then
    redis.call('DEL', line)
  else
    redis.call('HSET', line, 'all', f[1] - 1, 'now', served and math.max(place, now) or now)
  end
  put(t, 'place', '')
end
