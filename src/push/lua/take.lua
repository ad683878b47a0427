-- Takes due webhooks from the outbox of a shard, to be queued. They stay in the outbox with a later time, in case the job
-- is lost; a job of the same wake is added only once.
-- KEYS  1 outbox
-- ARGV  1 most  2 ms until a job is missed  3 ms to add to the server's clock
-- Returns {ms until the next one is due, or -1, {'<task id> <config id>', wake} …}
-- @include ../../task/lua/lib/now.lua
local outbox, now, taken = KEYS[1], now_ms() + ARGV[3], {}
for n, member in ipairs(redis.call('ZRANGEBYSCORE', outbox, '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local task, hook = string.match(member, '^(%S+) (.*)$')
  local push = string.sub(outbox, 1, -7) .. 'task:' .. task .. ':push'
  redis.call('ZADD', outbox, now + ARGV[2], member)
  taken[n] = { member, redis.call('HGET', push, 'wake:' .. hook) or '0' }
end
local first = redis.call('ZRANGE', outbox, 0, 0, 'WITHSCORES')
return { first[2] and math.max(0, math.floor(first[2] - now)) or -1, unpack(taken) }
