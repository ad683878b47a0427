-- Current tasks as a whole, each in one step, so that all its parts belong to one sequence number. Those that the callers of one
-- turn of the event loop ask for come in one call: Redis pays for each call more than for a task. Large ones are left to
-- read-part.lua, so that what one call reads is bounded.
-- KEYS  task, history; of the next one …
-- ARGV  for each its owner, or '*' for the service itself
-- Returns of each: false, where it is missing or foreign | {'AGAIN', names of its artifacts}, to be read by read-part.lua
--       | {'TASK', {word, context, status, rest, metadata, artifacts, use of models}, {message, …}, {}}
--       | '<word>\0<status>\0<rest>\0<metadata>\0<artifacts>\0<use of models>\0<message>\0<context>', what is missing is empty:
--         a small one in one text. Redis hashes what a script makes byte by byte, and the client pays more for each item of a
--         reply than Redis for that.
-- Globals are found by their names.
local call, KEYS, ARGV, concat = redis.call, KEYS, ARGV, table.concat
local SMALL, LARGE = 8192, 65536

local replies = {}
for n = 1, #ARGV do
  local task, history = KEYS[2 * n - 1], KEYS[2 * n]
  local reply = false
  -- The owner is checked before anything else is read that may be large: the response time would reveal a foreign task by its size.
  local known = call('HMGET', task, 'o', 'b', 'z', 'n')
  if known[1] and (ARGV[n] == known[1] or ARGV[n] == '*') then
    local size = (known[2] or 0) + (known[3] or 0)
    if known[4] or size > LARGE then
      reply = { 'AGAIN', known[4] or '' }
    else
      local later = call('LRANGE', history, 0, -1)
      local f = call('HMGET', task, 's', 't', 'j', 'm', 'a', 'mu', 'h', 'c', 'g')
      -- The metadata of a later message replaces that of the first.
      f[4] = f[9] or f[4]
      if size <= SMALL and not later[1] then
        for at = 1, 8 do f[at] = f[at] or '' end
        reply = concat(f, '\0', 1, 8)
      else
        table.insert(later, 1, f[7])
        reply = { 'TASK', { f[1], f[8], f[2], f[3], f[4], f[5], f[6] }, later, {} }
      end
    end
  end
  replies[n] = reply
end
return replies
