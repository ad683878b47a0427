-- What a new task brings: its bytes, and a webhook for its first event. Three keys from KEYS[k] on: stored bytes, webhooks of the
-- task, outbox. Seven arguments from ARGV[a] on: bytes or '', account of the tenant, account of the client, id of the webhook
-- or '', its record, channel of the dispatchers, shard. ARGV[1] is the task, KEYS[2] its record. Needs outbox.lua.
-- @include hook_bytes.lua
local function bring(k, a, ttl, now)
  if ARGV[a] ~= '' then
    redis.call('HINCRBY', KEYS[k], ARGV[a + 1], ARGV[a])
    redis.call('HINCRBY', KEYS[k], ARGV[a + 2], ARGV[a])
  end
  local hook = ARGV[a + 3]
  if hook == '' then return end
  redis.call('HSET', KEYS[k + 1], 'config:' .. hook, ARGV[a + 4], 'next:' .. hook, 1)
  count_hook(KEYS[2], KEYS[k + 1], hook, KEYS[k])
  redis.call('PEXPIRE', KEYS[k + 1], ttl)
  wake_webhooks(KEYS[k + 2], ARGV[a + 5], ARGV[a + 6], ARGV[1], hook, now)
end
