-- Reads the current task, or a part of it, in one step, so that all it returns belongs to one sequence number. Returned
-- in parts that the caller joins: Redis would hash every string that a script creates, byte by byte.
-- Input
--   task_key
--   history_key
--   artifacts …     those of its artifacts that are lists
--   owner           owner, or '*' for the service itself
--   max_messages    messages of history, -1 for all
--   with_artifacts  '1' with artifacts
--   names           names of its artifacts as known to the caller
--   max_bytes       most bytes, above which the caller makes room and reads in steps
--   watch_ms        ms for which the caller is registered for events, '' for not at all
-- Output
--   false when it is missing or foreign | {'AGAIN', names of its artifacts} | {'LARGE', bytes}
--   | {'TASK', {word, context, status, rest, metadata, artifacts, use of models}, {message, …}, {{head, parts, …}, …}}
-- Globals are looked up by name; rarely needed files are included inside their branches.
local call = redis.call
local most, shows_artifacts = tonumber(max_messages), with_artifacts == '1'

-- The owner is checked before any large part is read: the response time would reveal a foreign task by its size.
local known = call('HMGET', task_key, field.owner, field.message_bytes, field.result_bytes, field.artifact_names)
if not known[1] or (owner ~= '*' and owner ~= known[1]) then return false end

if watch_ms ~= '' then
-- @include ../lib/run/now.lua
  call('HSET', task_key, field.watched, now_ms() + watch_ms, field.has_request, '1')
end
local size, lists = (known[2] or 0) + (known[3] or 0), known[4] or ''
if size > tonumber(max_bytes) and (most ~= 0 or shows_artifacts) then return { 'LARGE', size } end
if shows_artifacts and lists ~= names then return { 'AGAIN', lists } end

local messages = {}
if most ~= 0 then
  local later = call('LLEN', history_key)
  if most < 0 or most > later then messages[1] = call('HGET', task_key, field.first_message) end
  if later > 0 then
    for _, message in ipairs(call('LRANGE', history_key, most < 0 and 0 or -math.min(most, later), -1)) do
      messages[#messages + 1] = message
    end
  end
end
local artifacts, joined = {}, false
if shows_artifacts then
  joined = call('HGET', task_key, field.artifacts)
  for n = artifacts_from, artifacts_to do artifacts[#artifacts + 1] = call('LRANGE', KEYS[n], 0, -1) end
end
local f = call('HMGET', task_key, field.word, field.context, field.status, field.rest, field.metadata, field.later_metadata, field.model_use)
f[5], f[6] = f[6] or f[5], joined
return { 'TASK', f, messages, artifacts }
