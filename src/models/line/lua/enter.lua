-- Lets one call of a model through to the account of its provider, or keeps its place in the account's line. Tenants take
-- turns by their weights: each ticket has a start in virtual time (start-time fair queueing), as runs in the fair queue.
-- The account and its attempts are those of the breaker (report.lua); an account that has asked for a pause begins again
-- with one call, and each success earns one more.
-- Input
--   account_key   the breaker's state; 'v' virtual time, 'tat' when the rate of requests is used up, ms
--   attempts_key  calls under way
--   line_key      tickets that wait, by their starts
--   due_key       the same by the time after which nobody comes back for them
--   shares_key    the next start of each tenant that waits
--   ticket        the call; the same each time that it asks
--   token         token of the attempt
--   tenant
--   weight        the tenant's share
--   at_once       most calls under way
--   interval_ms   between two requests on average, 0 for no limit
--   burst         requests without an interval
--   lost_ms       ms after which an attempt counts as lost
--   grace_ms      ms for which a ticket is kept beyond its time
--   max_wait_ms   longest time until a ticket asks again
--   max_tickets   most tickets
--   ahead_ms      ms to add to the server's clock
-- Output
--   {'OK', start} | {'WAIT', ms, tickets ahead}
-- @include ../../../tasks/lua/lib/run/now.lua
local now, limit, interval = now_ms() + ahead_ms, tonumber(at_once), tonumber(interval_ms)
local late = redis.call('ZRANGEBYSCORE', due_key, '-inf', now, 'LIMIT', 0, 100)
if #late > 0 then
  redis.call('ZREM', line_key, unpack(late))
  redis.call('ZREM', due_key, unpack(late))
end
local f = redis.call('HMGET', account_key, 'row', 'ms', 'later', 'open', 'tat', 'v')
local slots = f[3] and math.min(limit, 1 + (f[1] or 0)) or limit
local under_way = redis.call('ZCARD', attempts_key)
if under_way >= slots then under_way = under_way - redis.call('ZREMRANGEBYSCORE', attempts_key, '-inf', now) end
local free, tat = slots - under_way, math.max(tonumber(f[5] or '0'), now)
if f[4] then free = math.min(free, 1) end
if interval > 0 then free = math.min(free, math.floor((now - tat) / interval + burst)) end
local closed = math.max(0, tonumber(f[3] or '0') - now, tonumber(f[4] or '0') - now)
local waiting, start = redis.call('ZCARD', line_key), redis.call('ZSCORE', line_key, ticket)
local is_new = not start
if is_new and waiting == 0 then redis.call('DEL', shares_key) end
start = tonumber(start or math.max(waiting > 0 and tonumber(f[6] or '0') or 0, tonumber(redis.call('HGET', shares_key, tenant) or '0')))
local ahead = is_new and redis.call('ZCOUNT', line_key, '-inf', start) or redis.call('ZRANK', line_key, ticket)
local is_admitted = closed == 0 and ahead < free
if not is_admitted and is_new and waiting >= tonumber(max_tickets) then return { 'WAIT', tonumber(max_wait_ms), waiting } end
if is_new and (waiting > 0 or not is_admitted) then
  redis.call('HSET', shares_key, tenant, start + 1 / weight)
  redis.call('PEXPIRE', shares_key, 86400000)
end
if is_admitted then
  redis.call('ZREM', line_key, ticket)
  redis.call('ZREM', due_key, ticket)
  redis.call('HSET', account_key, 'v', start, 'tat', tat + interval)
  if f[4] then redis.call('HSET', account_key, 'open', now + lost_ms, 'probe', token) end
  redis.call('PEXPIRE', account_key, 2592000000)
  redis.call('ZADD', attempts_key, now + lost_ms, token)
  redis.call('PEXPIRE', attempts_key, 3600000)
  return { 'OK', tostring(start) }
end
-- Those ahead take their turns meanwhile.
local step = math.max(250, interval, tonumber(f[2] or '1000') / math.max(1, slots))
local wait = closed + math.min(tonumber(max_wait_ms), step * math.max(1, ahead - math.max(0, free) + 1))
if closed > 0 and ahead == 0 then wait = closed end
redis.call('ZADD', line_key, start, ticket)
redis.call('ZADD', due_key, now + wait + grace_ms, ticket)
redis.call('PEXPIRE', line_key, 86400000)
redis.call('PEXPIRE', due_key, 86400000)
return { 'WAIT', math.ceil(wait), ahead }
