-- The fair queue of a shard: runs that wait for a worker. Each has a position, and the lower one is served first
-- (start-time fair queueing): a run stands one position behind the last one of its tenant, and never before the position
-- that is being served. So a tenant with ten thousand runs in the queue does not keep another's first one waiting.
-- Two sorted sets, one for skills that may run without a limit and one for those that have one, so that a skill that has
-- no room holds up nobody else. Beside them one hash, 'now' the position last served, 'last:<tenant>' that of the tenant's
-- newest run; it goes when both queues are empty.

-- Returns the position and, where others wait, the one that is being served. 'elsewhere' is the one that other shards
-- have come to: an empty queue begins there, or its runs would pass all that wait in the others.
local function join_queue(queue, turns, member, tenant, elsewhere)
  local last = 'last:' .. tenant
  local f = redis.call('HMGET', turns, 'now', last)
  local now = math.max(tonumber(f[1] or 0), tonumber(elsewhere))
  local position = math.max(now, tonumber(f[2] or -1) + 1)
  redis.call('HSET', turns, 'now', now, last, position)
  redis.call('ZADD', queue, position, member)
  return position, f[1] and now or nil
end

-- A run that goes on with what has begun is served before all that have not: there are only as many as there were slots.
local function join_front(queue, member)
  redis.call('ZADD', queue, -1, member)
end

-- A run that begins moves the queue on; one that is given up leaves it as it is.
local function leave_queue(queue, other, turns, member, served)
  local position = redis.call('ZSCORE', queue, member)
  if not position then return end
  redis.call('ZREM', queue, member)
  if redis.call('EXISTS', queue) == 0 and redis.call('EXISTS', other) == 0 then
    redis.call('DEL', turns)
  elseif served then
    local now = tonumber(redis.call('HGET', turns, 'now') or 0)
    if tonumber(position) > now then redis.call('HSET', turns, 'now', position) end
  end
end
