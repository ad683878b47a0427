-- Replaces a text, unless it has changed meanwhile.
-- Input
--   secret_key   a string or a hash
--   name         field of the hash, '' for a string
--   expected     the text that is expected
--   replacement  the new text
-- Output
--   1 if it was replaced, 0 if it has changed
local found
if name == '' then
  found = redis.call('GET', secret_key)
else
  found = redis.call('HGET', secret_key, name)
end
if found ~= expected then return 0 end
if name == '' then
  redis.call('SET', secret_key, replacement, 'KEEPTTL')
else
  redis.call('HSET', secret_key, name, replacement)
end
return 1
