-- Bytes of some items of a list, so that a list of any length is weighed in steps.
-- KEYS  1 list
-- ARGV  1 first item
--       2 most items
-- Returns {bytes, items that were weighed, bytes of the first of them}
local items, bytes = redis.call('LRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1), 0
for _, item in ipairs(items) do bytes = bytes + #item end
return { bytes, #items, #(items[1] or '') }
