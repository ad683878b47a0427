-- Appends a change to the feed of a tenant, drops the oldest ones beyond its bounds, and notifies the readers of all
-- processes.
-- 'of' has the channel, the tenant, and the most changes and bytes of the feed.
local function append_change(feed_key, meta_key, change, of)
  if change == '' then return end
  redis.call('XADD', feed_key, redis.call('HINCRBY', meta_key, 'told', 1) .. '-0', 'change', change)
  local bytes = redis.call('HINCRBY', meta_key, 'told_bytes', #change)
  while redis.call('XLEN', feed_key) > tonumber(of.changes) or bytes > tonumber(of.bytes) do
    local oldest = redis.call('XRANGE', feed_key, '-', '+', 'COUNT', 1)[1]
    redis.call('XDEL', feed_key, oldest[1])
    bytes = redis.call('HINCRBY', meta_key, 'told_bytes', -#oldest[2][2])
  end
  redis.call('PUBLISH', of.channel, of.tenant)
end
