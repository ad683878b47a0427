-- Appends a change to the feed of a tenant, drops the oldest ones beyond its bounds, and tells the readers of all processes.
local function tell(feed, meta, change, channel, tenant, most, most_bytes)
  if change == '' then return end
  redis.call('XADD', feed, redis.call('HINCRBY', meta, 'told', 1) .. '-0', 'change', change)
  local bytes = redis.call('HINCRBY', meta, 'told_bytes', #change)
  while redis.call('XLEN', feed) > tonumber(most) or bytes > tonumber(most_bytes) do
    local oldest = redis.call('XRANGE', feed, '-', '+', 'COUNT', 1)[1]
    redis.call('XDEL', feed, oldest[1])
    bytes = redis.call('HINCRBY', meta, 'told_bytes', -#oldest[2][2])
  end
  redis.call('PUBLISH', channel, tenant)
end
