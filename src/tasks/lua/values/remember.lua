-- Stores a value of a skill in a context.
-- Input
--   context_key
--   contexts_key    contexts by the time of their expiry
--   bytes_key       stored bytes
--   context         name of the context
--   keep_ms         its retention from now on, ms
--   ttl             TTL of the key, ms
--   max_bytes       most bytes
--   max_values      most values
--   tenant_account  account of the tenant
--   client_account  account of the client; '' for none
--   name
--   value
--   keeps_value     '1' to keep an existing value
-- Output
--   {'OK', stored value} | {'FULL'} there is no room
-- @include ../lib/run/now.lua
local stored_name = field.remembered .. name
local was = redis.call('HSTRLEN', context_key, stored_name)
local is_new = was == 0
local keeps = keeps_value == '1' and not is_new
local bytes = tonumber(redis.call('HGET', context_key, field.remembered_bytes) or 0)
local more = #value - was + (is_new and #name or 0)
-- With the bytes and the accounts besides the values.
local is_full = is_new and redis.call('HLEN', context_key) - 2 >= tonumber(max_values)
if not keeps and more > 0 and (is_full or bytes + more > tonumber(max_bytes)) then return { 'FULL' } end

keep_reserve(context_key)
redis.call('ZADD', contexts_key, now_ms() + tonumber(keep_ms), context)
if keeps then
  redis.call('PEXPIRE', context_key, ttl)
  return { 'OK', redis.call('HGET', context_key, stored_name) }
end
redis.call('HSET', context_key, stored_name, value, field.remembered_bytes, bytes + more)
redis.call('PEXPIRE', context_key, ttl)
-- The accounts are those of the first writer.
local counted = more
if redis.call('HEXISTS', context_key, field.remembered_for) == 0 then
  if tenant_account ~= '' then counted = bytes + more end
  redis.call('HSET', context_key, field.remembered_for, tenant_account .. ' ' .. client_account)
end
for account in string.gmatch(redis.call('HGET', context_key, field.remembered_for), '%S+') do
  redis.call('HINCRBY', bytes_key, account, counted)
end
return { 'OK', value }
