-- What follows from new events at once: those who follow the task hear of them, and its webhooks are woken. A message
-- that is lost costs its reader time, never data: the log has it. 'lines' is '<task id> <seq> <nonce> <event>' for each.
-- @include outbox.lua
local function tell(t, now, lines, outbox, hints, shard)
  if t.p ~= '' and tonumber(t.p) > now then redis.call('PUBLISH', t.key, lines) end
  if t.r ~= '' then redis.call('PUBLISH', t.r, lines) end
  if t.w ~= '' then wake_webhooks(outbox, hints, shard, t.id, t.w, now) end
end
