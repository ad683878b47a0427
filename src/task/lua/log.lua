-- A page of a task's events.
-- KEYS  1 task
-- ARGV  1 number of the first
--       2 most events
--       3 bytes after which no further one is added
-- Returns false, where there is no task
--       | {number of the latest event, its nonce, nonce of the event before the page or '', {number, '<nonce> <event>', …},
--         {context, rest, metadata, first message} where the first event is put together from them}
local f = redis.call('HMGET', KEYS[1], 's', 'e' .. ARGV[1] - 1)
if not f[1] then return false end
local seq, last = string.match(f[1], '^%S+ (%d+) .* (%S+)$')
seq = tonumber(seq)
local before, page, bytes = f[2] and string.match(f[2], '^%S+') or '', {}, 0
-- The log keeps the last 20,000.
for n = math.max(tonumber(ARGV[1]), seq - 19999), math.min(seq, ARGV[1] + ARGV[2] - 1) do
  local event = redis.call('HGET', KEYS[1], 'e' .. n)
  if event then
    page[#page + 1] = n
    page[#page + 1] = event
    bytes = bytes + #event
  end
  if bytes > tonumber(ARGV[3]) then break end
end
local is_bare = page[1] == 1 and string.sub(page[2], -1) == ' '
return { seq, last, before, page, is_bare and redis.call('HMGET', KEYS[1], 'c', 'j', 'm', 'h') or {} }
