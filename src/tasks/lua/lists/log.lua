-- A page of a task's events, onwards or back.
-- Input
--   task_key
--   first       number of the first
--   max_events  most events
--   max_bytes   most bytes; a larger event is a page alone, and is left out
--   step        '1' onwards | '-1' back
-- Output
--   false for a missing task
--   | {number of the latest event, its nonce, nonce of the event before the page or '', {number, '<nonce> <event>' or '' if it is larger, …}}
-- @include ../lib/record/event.lua
local f = redis.call('HMGET', task_key, field.word, field.event .. first - 1)
if not f[1] then return false end
local seq, last = string.match(f[1], '^%S+ (%d+) .* (%S+)$')
seq = tonumber(seq)
local step, oldest = tonumber(step), math.max(1, seq - KEPT + 1)
local from = step > 0 and math.max(first, oldest) or math.min(first, seq)
local to = from + step * (max_events - 1)
local page, bytes = {}, 0
for n = from, step > 0 and math.min(to, seq) or math.max(to, oldest), step do
  local size = event_bytes(task_key, n)
  bytes = bytes + size
  if #page > 0 and bytes > tonumber(max_bytes) then break end
  if size > 0 then
    page[#page + 1] = n
    page[#page + 1] = size > tonumber(max_bytes) and '' or read_event(task_key, n)
  end
end
return { seq, last, f[2] and string.match(f[2], '^%S+') or '', page }
