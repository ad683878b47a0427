-- Records the outcome of attempts to an endpoint, gives their slot back, and opens or closes its breaker. Fields: row
-- (successes in a row), fails (failures in a row), ms (how long an attempt takes, smoothed), from/all/bad (attempts and
-- failures of this minute), later (the endpoint has asked for no attempt before, ms), open (until, ms), probe (the
-- attempt that tests an open one), trips (times it opened in a row), failing (since, ms), name (for operators),
-- disabled (why).
-- Input
--   endpoint_key
--   attempts_key        attempts under way to it
--   group_attempts_key  attempts under way of its group: of all endpoints of a tenant
--   token               token of the attempt
--   sign                'succeeded' | 'failed' | 'refused' | 'none'
--   took_ms             ms it took
--   max_failures        failures in a row that open
--   sample              attempts of a minute that suffice for a decision
--   pause_ms            first pause, ms
--   max_pause_ms        longest pause, ms
--   disable_ms          ms of nothing but failures that disable
--   disable_failures    failures in a row that disable, 0 never
--   name                tenant and origin, for operators
--   ahead_ms            ms to add to the server's clock
--   count               attempts in a row with this outcome, more than one only where they succeeded
--   later_ms            ms for which the endpoint has asked to be left alone, 0 for none
-- Output
--   '' | 'OPENED' | 'CLOSED' | 'DISABLED'
-- @include ../../../tasks/lua/lib/run/now.lua
local now, succeeded = now_ms() + ahead_ms, sign == 'succeeded'
redis.call('ZREM', attempts_key, token)
redis.call('ZREM', group_attempts_key, token)
if later_ms ~= '0' then
  redis.call('HSET', endpoint_key, 'later', math.max(now + later_ms, tonumber(redis.call('HGET', endpoint_key, 'later') or '0')))
  redis.call('PEXPIRE', endpoint_key, 2592000000)
end
if sign == 'none' then
  -- A probe without a result: the next attempt is the probe.
  if redis.call('HGET', endpoint_key, 'probe') == token then redis.call('HSET', endpoint_key, 'open', now) end
  return ''
end

local f = redis.call('HMGET', endpoint_key, 'ms', 'from', 'all', 'bad', 'fails', 'trips', 'failing', 'open', 'probe', 'row')
-- A refusal does not count against the endpoint. It ends a pause: the endpoint answers again.
if sign == 'refused' then
  if not f[8] or f[9] ~= token then return '' end
  redis.call('HDEL', endpoint_key, 'fails', 'trips', 'failing', 'open', 'probe')
  return 'CLOSED'
end
local from, all, bad = tonumber(f[2] or 0), tonumber(f[3] or 0), tonumber(f[4] or 0)
local is_new = now - from > 60000
if is_new then from, all, bad = now, 0, 0 end
all = all + count
if not succeeded then bad = bad + 1 end
redis.call('HSET', endpoint_key, 'ms', math.floor(0.8 * (f[1] or took_ms) + 0.2 * took_ms), 'name', name, 'from', from, 'all', all,
  'bad', bad, 'row', succeeded and (f[10] or 0) + count or 0)
if is_new then redis.call('PEXPIRE', endpoint_key, 2592000000) end
if succeeded then
  if f[5] or f[8] then redis.call('HDEL', endpoint_key, 'fails', 'trips', 'failing', 'open', 'probe') end
  return f[8] and 'CLOSED' or ''
end

local fails = redis.call('HINCRBY', endpoint_key, 'fails', 1)
redis.call('HSETNX', endpoint_key, 'failing', now)
local hopeless = now - (f[7] or now) >= tonumber(disable_ms)
if hopeless or (disable_failures ~= '0' and fails >= tonumber(disable_failures)) then
  redis.call('HSET', endpoint_key, 'disabled', hopeless and 'only_failures' or 'failures_in_a_row')
  return 'DISABLED'
end
-- Attempts that were active when the breaker opened are ignored; only the probe counts.
if f[8] and f[9] ~= token then return '' end
if f[8] or fails >= tonumber(max_failures) or (all >= tonumber(sample) and bad * 2 >= all) then
  local trips = redis.call('HINCRBY', endpoint_key, 'trips', 1)
  redis.call('HSET', endpoint_key, 'open', now + math.min(pause_ms * 2 ^ (trips - 1), max_pause_ms))
  redis.call('HDEL', endpoint_key, 'probe')
  return 'OPENED'
end
return ''
