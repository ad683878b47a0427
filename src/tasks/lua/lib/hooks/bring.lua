-- Counts the bytes of a new task, and adds its webhook with its first event. Needs outbox.lua. The scripts have the
-- keys of the task, of stored bytes, of its webhooks and of the outbox; 'size' or '' and the accounts; 'hook' or '' and
-- its 'record'; 'hints' and 'shard'.
-- @include hook_bytes.lua
local function bring(now)
  if size ~= '' then
    redis.call('HINCRBY', bytes_key, tenant_account, size)
    redis.call('HINCRBY', bytes_key, client_account, size)
  end
  if hook == '' then return end
  redis.call('HSET', push_key, 'config:' .. hook, record, 'next:' .. hook, 1)
  count_hook(task_key, push_key, hook, bytes_key)
  redis.call('PEXPIRE', push_key, ttl)
  wake_webhooks(outbox_key, hints, shard, id, hook, now)
end
