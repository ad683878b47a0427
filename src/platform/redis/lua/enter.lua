-- Sets the schema number of the stored data before this code writes it, unless this code is too old for the data.
-- KEYS  1 schema
-- ARGV  1 schema number of this code  2 oldest schema number compatible with this code's writes
-- Returns {number, oldest} after the call
local f = redis.call('HMGET', KEYS[1], 'number', 'oldest')
local number, oldest = tonumber(f[1] or 0), tonumber(f[2] or 0)
if tonumber(ARGV[1]) >= oldest and (tonumber(ARGV[1]) > number or tonumber(ARGV[2]) > oldest) then
  number, oldest = math.max(number, ARGV[1]), math.max(oldest, ARGV[2])
  redis.call('HSET', KEYS[1], 'number', number, 'oldest', oldest)
end
return { number, oldest }
