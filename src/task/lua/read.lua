-- The current task as a whole, in one step, so that all its parts belong to one sequence number. A large one is left to
-- read-part.lua, so that what one call reads is bounded.
-- Input
--   task_key
--   history_key  its later messages
--   owner        or '*' for the service itself
-- Output
--   false, where it is missing or foreign | {'AGAIN', names of its artifacts}, to be read by read-part.lua
--   {'TASK', {word, context, status, rest, metadata, artifacts, use of models}, {message, …}, {}}
--   '<word>\0<status>\0<rest>\0<metadata>\0<artifacts>\0<use of models>\0<message>\0<context>', what is missing is empty: a small one
--     in one text. Redis hashes what a script makes byte by byte, and the client pays more for each item of a reply than Redis for
--     that.
local SMALL, LARGE = 8192, 65536

-- The owner is checked before anything else is read that may be large: the response time would reveal a foreign task by its size.
local known = redis.call('HMGET', task_key, field.owner, field.message_bytes, field.result_bytes, field.artifact_names)
if not known[1] or (owner ~= known[1] and owner ~= '*') then return false end
local size = (known[2] or 0) + (known[3] or 0)
if known[4] or size > LARGE then return { 'AGAIN', known[4] or '' } end

local later = redis.call('LRANGE', history_key, 0, -1)
local f = redis.call('HMGET', task_key, field.word, field.status, field.rest, field.metadata, field.artifacts, field.model_use,
  field.first_message, field.context, field.later_metadata)
-- The metadata of a later message replaces that of the first.
f[4] = f[9] or f[4]
if size <= SMALL and not later[1] then
  for at = 1, 8 do f[at] = f[at] or '' end
  return table.concat(f, '\0', 1, 8)
end
table.insert(later, 1, f[7])
return { 'TASK', { f[1], f[8], f[2], f[3], f[4], f[5], f[6] }, later, {} }
