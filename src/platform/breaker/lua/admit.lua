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
-- Returns {'OK'} | {'DISABLED', reason} | {'OPEN' | 'BUSY', ms to wait}
-- @include ../../../task/lua/lib/now.lua
local now = now_ms() + ARGV[7]
local f = redis.call('HMGET', KEYS[1], 'disabled', 'open', 'row', 'ms', 'slot')
if f[1] then return { 'DISABLED', f[1] } end
if f[2] and tonumber(f[2]) > now then return { 'OPEN', math.ceil(f[2] - now) } end

local slots = math.min(ARGV[4], ARGV[3] + tonumber(f[3] or '0'))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= slots or redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[5]) then
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
redis.call('PEXPIRE', KEYS[2], 3600000)
redis.call('PEXPIRE', KEYS[3], 3600000)
return { 'OK' }
