-- Takes due webhooks from the outbox of a shard: the caller delivers to them. They stay in the outbox with a later time, in
-- case the caller crashes before it has claimed them.
-- KEYS  1 outbox
-- ARGV  1 most
--       2 ms until a webhook that was taken and not claimed is due again
--       3 ms to add to the server's clock
-- Returns {ms until the next one is due, or -1 where there is none, '<task id> <config id>' …}
-- @include ../../task/lua/lib/now.lua
local now = now_ms() + ARGV[3]
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], now + ARGV[2], member) end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { first[2] and math.max(0, math.floor(first[2] - now)) or -1, unpack(due) }
