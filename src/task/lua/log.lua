-- A page of a task's events, onwards or back.
-- KEYS  1 task
-- ARGV  1 number of the first
--       2 most events
--       3 most bytes; a larger event is a page alone
--       4 '1' onwards | '-1' back
-- Returns false, where there is no task
--       | {number of the latest event, its nonce, nonce of the event before the page or '', {number, '<nonce> <event>', …}}
-- @include lib/event.lua
local f = redis.call('HMGET', KEYS[1], 's', 'e' .. ARGV[1] - 1)
if not f[1] then return false end
local seq, last = string.match(f[1], '^%S+ (%d+) .* (%S+)$')
seq = tonumber(seq)
local step, oldest = tonumber(ARGV[4]), math.max(1, seq - KEPT + 1)
local from = step > 0 and math.max(ARGV[1], oldest) or math.min(ARGV[1], seq)
local to = from + step * (ARGV[2] - 1)
local page, bytes = {}, 0
for n = from, step > 0 and math.min(to, seq) or math.max(to, oldest), step do
  local event = read_event(KEYS[1], n)
  if event then
    bytes = bytes + #event
    if #page > 0 and bytes > tonumber(ARGV[3]) then break end
    page[#page + 1] = n
    page[#page + 1] = event
  end
end
return { seq, last, f[2] and string.match(f[2], '^%S+') or '', page }
