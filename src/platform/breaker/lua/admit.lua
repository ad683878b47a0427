-- Lets one attempt through to an endpoint, within the limits of the endpoint and of its group. An endpoint that is new
-- or in trouble gets few slots; each success in a row earns one more.
-- KEYS  1 endpoint
--       2 attempts under way to it
--       3 attempts under way of its group: of all endpoints of a tenant
-- ARGV  1 token of the attempt
--       2 ms after which it counts as lost
--       3 slots at first
--       4 most slots
--       5 slots of the group
--       6 ms until a probe is believed lost
--       7 ms to add to the server's clock
-- Returns {'OK'} | {'DISABLED', reason} | {'OPEN' | 'LATER' | 'BUSY', ms to wait}
-- @include ../../../task/lua/lib/now.lua
local now = now_ms() + ARGV[7]
local f = redis.call('HMGET', KEYS[1], 'disabled', 'open', 'row', 'ms', 'slot', 'later', 'probe')
if f[1] then return { 'DISABLED', f[1] } end
if f[2] and tonumber(f[2]) > now then
  -- What a probe under way finds is known after about as long as attempts take, long before it is believed lost.
  local wait = f[7] and math.min(f[2] - now, math.max(1000, tonumber(f[4] or '0'))) or f[2] - now
  return { 'OPEN', math.ceil(wait) }
end
if f[6] and tonumber(f[6]) > now then return { 'LATER', math.ceil(f[6] - now) } end

-- How many attempts are under way; where that is too many, without those that count as lost.
local function count(key, most)
  local all = redis.call('ZCARD', key)
  if all < most then return all end
  return all - redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
end

local slots, of_tenant = math.min(ARGV[4], ARGV[3] + tonumber(f[3] or '0')), tonumber(ARGV[5])
local here, there = count(KEYS[2], slots), count(KEYS[3], of_tenant)
if here >= slots or there >= of_tenant then
  -- Returns the time at which a slot should be free, a later one for each waiting attempt, so that attempts do not poll.
  local slot = math.max(now, tonumber(f[5] or '0')) + math.max(1, tonumber(f[4] or '100') / slots)
  slot = math.min(slot, now + 60000)
  redis.call('HSET', KEYS[1], 'slot', slot)
  redis.call('PEXPIRE', KEYS[1], 2592000000)
  return { 'BUSY', math.ceil(slot - now) }
end
-- The breaker is half open: this attempt is the probe, and the others go on waiting for what it finds.
if f[2] then redis.call('HSET', KEYS[1], 'open', now + ARGV[6], 'probe', ARGV[1]) end
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[3], now + ARGV[2], ARGV[1])
-- Once for as long as attempts follow each other without a gap: an hour later those under way are counted anew.
if here == 0 then redis.call('PEXPIRE', KEYS[2], 3600000) end
if there == 0 then redis.call('PEXPIRE', KEYS[3], 3600000) end
return { 'OK' }
