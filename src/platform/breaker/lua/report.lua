-- Records the outcome of attempts to an endpoint, gives their slot back, and opens or closes its breaker. Fields: row (successes in a row),
-- fails (failures in a row), ms (how long an attempt takes, smoothed), from/all/bad (attempts and failures of this
-- minute), later (the endpoint has asked for no attempt before, ms), open (until, ms), probe (the attempt that tests an open one), trips (times it opened in a row), failing (since,
-- ms), name (for operators), disabled (why).
-- KEYS  1 endpoint
--       2 attempts under way to it
--       3 attempts under way of its group: of all endpoints of a tenant
-- ARGV  1 token of the attempt
--       2 'succeeded' | 'failed' | 'refused' | 'none'
--       3 ms it took
--       4 failures in a row that open
--       5 attempts of a minute that tell
--       6 first pause, ms
--       7 longest pause, ms
--       8 ms of nothing but failures that disable
--       9 failures in a row that disable, 0 never
--       10 tenant and origin, for operators
--       11 ms to add to the server's clock
--       12 attempts in a row with this outcome, more than one only where they succeeded
--       13 ms for which the endpoint has asked to be left alone, 0 for none
-- Returns '' | 'OPENED' | 'CLOSED' | 'DISABLED'
-- @include ../../../task/lua/lib/now.lua
local key, now, succeeded = KEYS[1], now_ms() + ARGV[11], ARGV[2] == 'succeeded'
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
if ARGV[13] ~= '0' then
  redis.call('HSET', key, 'later', math.max(now + ARGV[13], tonumber(redis.call('HGET', key, 'later') or '0')))
  redis.call('PEXPIRE', key, 2592000000)
end
if ARGV[2] == 'none' then
  -- A probe that found nothing out: the next attempt is one.
  if redis.call('HGET', key, 'probe') == ARGV[1] then redis.call('HSET', key, 'open', now) end
  return ''
end

local f = redis.call('HMGET', key, 'ms', 'from', 'all', 'bad', 'fails', 'trips', 'failing', 'open', 'probe', 'row')
-- A refusal says nothing against the endpoint. It ends a pause: the endpoint answers again.
if ARGV[2] == 'refused' then
  if not f[8] or f[9] ~= ARGV[1] then return '' end
  redis.call('HDEL', key, 'fails', 'trips', 'failing', 'open', 'probe')
  return 'CLOSED'
end
local from, all, bad = tonumber(f[2] or 0), tonumber(f[3] or 0), tonumber(f[4] or 0)
local is_new = now - from > 60000
if is_new then from, all, bad = now, 0, 0 end
all = all + ARGV[12]
if not succeeded then bad = bad + 1 end
redis.call('HSET', key, 'ms', math.floor(0.8 * (f[1] or ARGV[3]) + 0.2 * ARGV[3]), 'name', ARGV[10], 'from', from, 'all', all,
  'bad', bad, 'row', succeeded and (f[10] or 0) + ARGV[12] or 0)
if is_new then redis.call('PEXPIRE', key, 2592000000) end
if succeeded then
  if f[5] or f[8] then redis.call('HDEL', key, 'fails', 'trips', 'failing', 'open', 'probe') end
  return f[8] and 'CLOSED' or ''
end

local fails = redis.call('HINCRBY', key, 'fails', 1)
redis.call('HSETNX', key, 'failing', now)
local hopeless = now - (f[7] or now) >= tonumber(ARGV[8])
if hopeless or (ARGV[9] ~= '0' and fails >= tonumber(ARGV[9])) then
  redis.call('HSET', key, 'disabled', hopeless and 'only_failures' or 'failures_in_a_row')
  return 'DISABLED'
end
-- Attempts that were active when the breaker opened are ignored; only the probe counts.
if f[8] and f[9] ~= ARGV[1] then return '' end
if f[8] or fails >= tonumber(ARGV[4]) or (all >= tonumber(ARGV[5]) and bad * 2 >= all) then
  local trips = redis.call('HINCRBY', key, 'trips', 1)
  redis.call('HSET', key, 'open', now + math.min(ARGV[6] * 2 ^ (trips - 1), ARGV[7]))
  redis.call('HDEL', key, 'probe')
  return 'OPENED'
end
return ''
