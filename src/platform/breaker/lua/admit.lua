-- Lets one attempt through to an endpoint, within the limits of the endpoint and of its group. An endpoint that is new
-- or in trouble gets few slots; each success in a row earns one more.
-- Input
--   endpoint_key
--   attempts_key        attempts under way to it
--   group_attempts_key  attempts under way of its group: of all endpoints of a tenant
--   token               token of the attempt
--   lost_ms             ms after which it counts as lost
--   first_slots         slots at first
--   max_slots           most slots
--   group_slots         slots of the group
--   probe_ms            ms until a probe is believed lost
--   ahead_ms            ms to add to the server's clock
-- Output
--   {'OK'} | {'DISABLED', reason} | {'OPEN' | 'LATER' | 'BUSY', ms to wait}
-- @include ../../../tasks/lua/lib/run/now.lua
local now = now_ms() + ahead_ms
local f = redis.call('HMGET', endpoint_key, 'disabled', 'open', 'row', 'ms', 'slot', 'later', 'probe')
if f[1] then return { 'DISABLED', f[1] } end
if f[2] and tonumber(f[2]) > now then
  -- The result of a probe is known after about one attempt's duration, long before the probe counts as lost.
  local wait = f[7] and math.min(f[2] - now, math.max(1000, tonumber(f[4] or '0'))) or f[2] - now
  return { 'OPEN', math.ceil(wait) }
end
if f[6] and tonumber(f[6]) > now then return { 'LATER', math.ceil(f[6] - now) } end

-- Counts the attempts in progress; beyond `most` it first drops those that count as lost.
local function count(key, most)
  local all = redis.call('ZCARD', key)
  if all < most then return all end
  return all - redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
end

local slots, of_tenant = math.min(max_slots, first_slots + tonumber(f[3] or '0')), tonumber(group_slots)
local here, there = count(attempts_key, slots), count(group_attempts_key, of_tenant)
if here >= slots or there >= of_tenant then
  -- Returns the time at which a slot should be free, a later one for each waiting attempt, so that attempts do not
  -- poll.
  local slot = math.max(now, tonumber(f[5] or '0')) + math.max(1, tonumber(f[4] or '100') / slots)
  slot = math.min(slot, now + 60000)
  redis.call('HSET', endpoint_key, 'slot', slot)
  redis.call('PEXPIRE', endpoint_key, 2592000000)
  return { 'BUSY', math.ceil(slot - now) }
end
-- The breaker is half open: this attempt is the probe, and the others keep waiting for its result.
if f[2] then redis.call('HSET', endpoint_key, 'open', now + probe_ms, 'probe', token) end
redis.call('ZADD', attempts_key, now + lost_ms, token)
redis.call('ZADD', group_attempts_key, now + lost_ms, token)
-- Set once per gapless series of attempts: an hour later those in progress are counted anew.
if here == 0 then redis.call('PEXPIRE', attempts_key, 3600000) end
if there == 0 then redis.call('PEXPIRE', group_attempts_key, 3600000) end
return { 'OK' }
