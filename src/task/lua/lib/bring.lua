-- What a new task brings: its bytes, and a webhook for its first event. Three keys from KEYS[key] on: stored bytes, webhooks of the
-- task, outbox. Seven arguments from ARGV[arg] on: bytes or '', account of the tenant, account of the client, id of the webhook
-- or '', its record, channel of the dispatchers, shard. ARGV[1] is the task. Needs outbox.lua.
local function bring(key, arg, ttl, now)
  if ARGV[arg] ~= '' then
    redis.call('HINCRBY', KEYS[key], ARGV[arg + 1], ARGV[arg])
    redis.call('HINCRBY', KEYS[key], ARGV[arg + 2], ARGV[arg])
  end
  local hook = ARGV[arg + 3]
  if hook == '' then return end
  redis.call('HSET', KEYS[key + 1], 'config:' .. hook, ARGV[arg + 4], 'next:' .. hook, 1)
  redis.call('PEXPIRE', KEYS[key + 1], ttl)
  wake_webhooks(KEYS[key + 2], ARGV[arg + 5], ARGV[arg + 6], ARGV[1], hook, now)
end
