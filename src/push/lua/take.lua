-- Takes webhooks that were seen due (due.lua) from the outbox of a shard, to be queued; another process may have taken some
-- meanwhile. They stay in the outbox with a later time, in case the job is lost; a job of the same wake is added only once.
-- KEYS  1 outbox
--       2 … push hash of each
-- ARGV  1 ms until a job is missed
--       2 ms to add to the server's clock
--       3 … '<task id> <config id>' of each
-- Returns {ms until the next one is due, or -1, {'<task id> <config id>', wake} …}
-- @include ../../task/lua/lib/now.lua
local now, taken = now_ms() + ARGV[2], {}
for n = 2, #KEYS do
  local member = ARGV[n + 1]
  local due = redis.call('ZSCORE', KEYS[1], member)
  if due and tonumber(due) <= now then
    redis.call('ZADD', KEYS[1], now + ARGV[1], member)
    taken[#taken + 1] = { member, redis.call('HGET', KEYS[n], 'wake:' .. string.match(member, ' (.*)$')) or '0' }
  end
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { first[2] and math.max(0, math.floor(first[2] - now)) or -1, unpack(taken) }
