-- Counts stored bytes for the tenant and the client of a task, if they have accounts. 'traits' are those of its record.
local function count_for(traits, bytes_key, bytes)
  local tenant, client = string.match(traits, '^(%S+) %S+ %S+ %S+ %S+ %S+ (%S+)')
  if not client or client == '-' then return end
  for _, account in ipairs({ 't:' .. tenant, 'c:' .. client }) do
    if redis.call('HINCRBY', bytes_key, account, bytes) <= 0 then redis.call('HDEL', bytes_key, account) end
  end
end

-- Counts bytes stored outside of a task's record as bytes of its messages too, which the purge subtracts. An event log
-- has no client: its own bounds limit it.
local function count_bytes(task_key, bytes_key, bytes)
  local traits = bytes ~= 0 and redis.call('HGET', task_key, field.traits)
  if not traits then return end
  redis.call('HINCRBY', task_key, field.message_bytes, bytes)
  count_for(traits, bytes_key, bytes)
end
