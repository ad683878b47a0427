-- Notes which layout of data is written here; the number never goes down. Newer data is left as it is.
-- KEYS  1 layout
-- ARGV  1 layout that is written  2 newest layout that can be read
-- Returns the number that was stored, 0 when there was none
local stored = tonumber(redis.call('GET', KEYS[1])) or 0
if stored < tonumber(ARGV[1]) and stored <= tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[1]) end
return stored
