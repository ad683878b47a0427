-- A page of a task's events.
-- KEYS  1 task
-- ARGV  1 number of the first
--       2 most events
--       3 bytes after which no further one is added
-- Returns false, where there is no task
--       | {number of the latest event, its nonce, nonce of the event before the page or '', {number, '<nonce> <event>', …}}
-- @include lib/event.lua
local f = redis.call('HMGET', KEYS[1], 's', 'e' .. ARGV[1] - 1)
if not f[1] then return false end
local seq, last = string.match(f[1], '^%S+ (%d+) .* (%S+)$')
seq = tonumber(seq)
local page, bytes = {}, 0
for n = math.max(tonumber(ARGV[1]), seq - KEPT + 1), math.min(seq, ARGV[1] + ARGV[2] - 1) do
  local event = read_event(KEYS[1], n)
  if event then
    page[#page + 1] = n
    page[#page + 1] = event
    bytes = bytes + #event
  end
  if bytes > tonumber(ARGV[3]) then break end
end
return { seq, last, f[2] and string.match(f[2], '^%S+') or '', page }
