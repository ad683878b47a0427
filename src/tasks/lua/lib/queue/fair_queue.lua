-- The fair queue of a shard: runs that wait for a worker, lowest position first (start-time fair queueing). The
-- position of a run is max(position of its tenant's last run + 1, position now served). So a tenant with ten thousand
-- waiting runs does not delay the first run of another one. Two sorted sets, one for skills with a concurrency limit
-- and one for the others, so that a full skill delays only itself. A hash besides them: 'now' is the position last
-- served, 'last:<tenant>' that of the tenant's newest run; it is deleted when both sets are empty. The keys of the sets
-- are named ':line' and ':line:limited' since schema 3.

-- Returns the position and, if other runs wait, the position now served. 'elsewhere' is the position that other shards
-- serve: an empty queue begins there, otherwise its runs would overtake all runs in other shards.
local function join_queue(queue_key, turns_key, member, tenant, elsewhere)
  local last = 'last:' .. tenant
  local f = redis.call('HMGET', turns_key, 'now', last)
  local now = math.max(tonumber(f[1] or 0), tonumber(elsewhere))
  local position = math.max(now, tonumber(f[2] or -1) + 1)
  redis.call('HSET', turns_key, 'now', now, last, position)
  redis.call('ZADD', queue_key, position, member)
  return position, f[1] and now or nil
end

-- A run that continues a turn is served before all new runs: there are at most as many of these as there were slots.
local function join_front(queue_key, member)
  redis.call('ZADD', queue_key, -1, member)
end

-- A run whose next loss ends its task is a suspect: it may have killed its processes. A worker runs one suspect at a
-- time (runs/worker/suspect-run.ts). Suspects precede all others, in order of waiting time.
local SUSPECTS = 10000000000000
local function join_suspects(queue_key, member, now)
  redis.call('ZADD', queue_key, now - SUSPECTS, member)
end

-- A beginning run advances the position now served; a dropped one does not. Returns the position of the run.
local function leave_queue(queue_key, other_key, turns_key, member, served)
  local position = redis.call('ZSCORE', queue_key, member)
  if not position then return end
  redis.call('ZREM', queue_key, member)
  if redis.call('EXISTS', queue_key) == 0 and redis.call('EXISTS', other_key) == 0 then
    redis.call('DEL', turns_key)
  elseif served then
    local now = tonumber(redis.call('HGET', turns_key, 'now') or 0)
    if tonumber(position) > now then redis.call('HSET', turns_key, 'now', position) end
  end
  return position
end
