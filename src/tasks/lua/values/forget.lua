-- Deletes the values of a context.
-- Input
--   context_key
--   contexts_key  contexts by the time of their expiry
--   bytes_key     stored bytes
--   context       name of the context
--   is_forced     '1' at any time, '' only after its expiry
-- Output
--   1 | 0 there is none, or it has not expired
-- @include ../lib/run/now.lua
local due = redis.call('ZSCORE', contexts_key, context)
if is_forced == '' and due and tonumber(due) > now_ms() then return 0 end
redis.call('ZREM', contexts_key, context)
local bytes, accounts = unpack(redis.call('HMGET', context_key, field.remembered_bytes, field.remembered_for))
for account in string.gmatch(accounts or '', '%S+') do
  if redis.call('HINCRBY', bytes_key, account, -bytes) <= 0 then redis.call('HDEL', bytes_key, account) end
end
return redis.call('DEL', context_key)
