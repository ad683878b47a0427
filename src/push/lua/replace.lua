-- Replaces a text, unless it has changed meanwhile.
-- KEYS  1 a string or a hash
-- ARGV  1 field of the hash, '' for a string
--       2 the text that is expected
--       3 the new text
-- Returns 1 if it was replaced, 0 if it has changed
local key, field = KEYS[1], ARGV[1]
local found
if field == '' then
  found = redis.call('GET', key)
else
  found = redis.call('HGET', key, field)
end
if found ~= ARGV[2] then return 0 end
if field == '' then
  redis.call('SET', key, ARGV[3], 'KEEPTTL')
else
  redis.call('HSET', key, field, ARGV[3])
end
return 1
