-- Stores a value that skills remember of a context.
-- KEYS  1 context
--       2 contexts by the time at which they are forgotten
--       3 stored bytes
-- ARGV  1 name of the context
--       2 how long it is remembered from now on, ms, 3 TTL of the key, ms
--       4 most bytes, 5 most values
--       6 account of the tenant, 7 account of the client; '' for none
--       8 name, 9 value, 10 '1' to keep a value that is there
-- Returns {'OK', value that is stored now} | {'FULL'} there is no room
-- @include lib/now.lua
local field = 'v:' .. ARGV[8]
local was = redis.call('HSTRLEN', KEYS[1], field)
local is_new = was == 0
local keeps = ARGV[10] == '1' and not is_new
local bytes = tonumber(redis.call('HGET', KEYS[1], 'b') or 0)
local more = #ARGV[9] - was + (is_new and #ARGV[8] or 0)
-- With 'b' and 'a' beside the values.
local is_full = is_new and redis.call('HLEN', KEYS[1]) - 2 >= tonumber(ARGV[5])
if not keeps and more > 0 and (is_full or bytes + more > tonumber(ARGV[4])) then return { 'FULL' } end

keep_reserve(KEYS[1])
redis.call('ZADD', KEYS[2], now_ms() + tonumber(ARGV[2]), ARGV[1])
if keeps then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return { 'OK', redis.call('HGET', KEYS[1], field) }
end
redis.call('HSET', KEYS[1], field, ARGV[9], 'b', bytes + more)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
-- The accounts are those of the first writer.
local counted = more
if redis.call('HEXISTS', KEYS[1], 'a') == 0 then
  if ARGV[6] ~= '' then counted = bytes + more end
  redis.call('HSET', KEYS[1], 'a', ARGV[6] .. ' ' .. ARGV[7])
end
for account in string.gmatch(redis.call('HGET', KEYS[1], 'a'), '%S+') do
  redis.call('HINCRBY', KEYS[3], account, counted)
end
return { 'OK', ARGV[9] }
