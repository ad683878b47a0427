-- The line of a shard: runs that were asked for and have not begun. Each has a place, and the lower place is served
-- first (start-time fair queueing): a run stands one place behind the last one of its tenant, and never before the place
-- that is being served. So a tenant with ten thousand runs in line does not keep another's first one waiting.
-- One hash: 'all' runs in line, 'now' the place last served, 'last:<tenant>' that of the tenant's newest run. It goes
-- when the line is empty.

-- Returns the run's place and, where others stand in line, the place that is being served. 'elsewhere' is the one that
-- other lines have come to: an empty line begins there, or its runs would pass all that wait in the others.
local function join_line(t, elsewhere)
  local line, last = t.shard .. ':line', 'last:' .. t.tenant
  local f = redis.call('HMGET', line, 'all', 'now', last)
  local now = math.max(tonumber(f[2] or 0), tonumber(elsewhere))
  local place = math.max(now, tonumber(f[3] or -1) + 1)
  redis.call('HSET', line, 'all', (f[1] or 0) + 1, 'now', now, last, place)
  put(t, 'place', place)
  return place, f[1] and now or nil
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
