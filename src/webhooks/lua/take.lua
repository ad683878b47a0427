-- Takes due webhooks from the outbox of a shard for the caller to deliver. They stay in the outbox with a later time,
-- in case the caller crashes before it claims them.
-- Input
--   outbox_key
--   max_taken   most
--   taken_ms    ms until a webhook that was taken and not claimed is due again
--   ahead_ms    ms to add to the server's clock
-- Output
--   {ms until the next one is due, or -1 where there is none, '<task id> <config id>' …}
-- @include ../../tasks/lua/lib/run/now.lua
local now = now_ms() + ahead_ms
local due = redis.call('ZRANGEBYSCORE', outbox_key, '-inf', now, 'LIMIT', 0, max_taken)
for _, member in ipairs(due) do redis.call('ZADD', outbox_key, now + taken_ms, member) end
local first = redis.call('ZRANGE', outbox_key, 0, 0, 'WITHSCORES')
return { first[2] and math.max(0, math.floor(first[2] - now)) or -1, unpack(due) }
