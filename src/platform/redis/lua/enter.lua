-- Marks the stored data with the schema of the code that is about to write it, unless one is too old for the other.
-- Input
--   schema_key
--   code         number of this code
--   oldest_code  the oldest number of code that can work with what this code writes
--   oldest_data  the oldest number of data that this code can work with
-- Output
--   {number, oldest} as they are now
local f = redis.call('HMGET', schema_key, 'number', 'oldest')
local number, oldest = tonumber(f[1] or 0), tonumber(f[2] or 0)
local is_readable = number == 0 or number >= tonumber(oldest_data)
if is_readable and tonumber(code) >= oldest and (tonumber(code) > number or tonumber(oldest_code) > oldest) then
  number, oldest = math.max(number, code), math.max(oldest, oldest_code)
  redis.call('HSET', schema_key, 'number', number, 'oldest', oldest)
end
return { number, oldest }
