-- Forgets what skills remember of a context.
-- KEYS  1 context
--       2 contexts by the time at which they are forgotten
--       3 stored bytes
-- ARGV  1 name of the context
--       2 '1' at any time, '' only when its time has come
-- Returns 1 | 0 there is none, or its time has not come
-- @include lib/now.lua
local due = redis.call('ZSCORE', KEYS[2], ARGV[1])
if ARGV[2] == '' and due and tonumber(due) > now_ms() then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
local bytes, accounts = unpack(redis.call('HMGET', KEYS[1], 'b', 'a'))
for account in string.gmatch(accounts or '', '%S+') do
  if redis.call('HINCRBY', KEYS[3], account, -bytes) <= 0 then redis.call('HDEL', KEYS[3], account) end
end
return redis.call('DEL', KEYS[1])
