-- Marks the stored data with the schema of the code that is about to write it, unless one is too old for the other.
-- KEYS  1 schema
-- ARGV  1 number of this code
--       2 the oldest number of code that can work with what this code writes
--       3 the oldest number of data that this code can work with
-- Returns {number, oldest} as they are now
local f = redis.call('HMGET', KEYS[1], 'number', 'oldest')
local number, oldest = tonumber(f[1] or 0), tonumber(f[2] or 0)
local is_readable = number == 0 or number >= tonumber(ARGV[3])
if is_readable and tonumber(ARGV[1]) >= oldest and (tonumber(ARGV[1]) > number or tonumber(ARGV[2]) > oldest) then
  number, oldest = math.max(number, ARGV[1]), math.max(oldest, ARGV[2])
  redis.call('HSET', KEYS[1], 'number', number, 'oldest', oldest)
end
return { number, oldest }
