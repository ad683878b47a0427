-- The parts of tasks that lists show, until a page is full.
-- Input
--   tasks …
--   histories …     of each task, if messages are shown
--   max_messages    of history, -1 for all
--   with_artifacts  '1' with artifacts
--   max_bytes       after which no further task is added
-- Output
--   for each task of the page {word, context, status, metadata, use of models} and, with messages or artifacts,
--   {…, names of its artifacts, artifacts, {message, …}}, where artifacts is 'LARGE' for a task that does not fit and is read
--   separately; all of it is false for a deleted task
local most, has_artifacts = tonumber(max_messages), with_artifacts == '1'
local is_whole = most ~= 0 or has_artifacts
local fields = { field.word, field.context, field.status, field.metadata, field.model_use, field.later_metadata }
if is_whole then fields[7], fields[8], fields[9] = field.artifact_names, field.message_bytes, field.result_bytes end

local function messages_of(task_key, history_key)
  local messages, later = {}, redis.call('LLEN', history_key)
  if most < 0 or most > later then messages[1] = redis.call('HGET', task_key, field.first_message) end
  if later == 0 then return messages end
  for _, message in ipairs(redis.call('LRANGE', history_key, most < 0 and 0 or -math.min(most, later), -1)) do
    messages[#messages + 1] = message
  end
  return messages
end

local records, bytes = {}, 0
for n = tasks_from, tasks_to do
  local task_key = KEYS[n]
  local f = redis.call('HMGET', task_key, unpack(fields))
  if f[1] then
    bytes = bytes + 200 + #f[3] + #(f[6] or f[4] or '') + (f[8] or 0) + (f[9] or 0)
    -- At least one task, however large.
    if n > tasks_from and bytes > tonumber(max_bytes) then break end
    f[4], f[6], f[8], f[9] = f[6] or f[4], f[7], nil, nil
    if is_whole and bytes > tonumber(max_bytes) then
      f[7], f[8] = 'LARGE', {}
    elseif is_whole then
      f[7] = has_artifacts and redis.call('HGET', task_key, field.artifacts)
      f[8] = most ~= 0 and messages_of(task_key, KEYS[histories_from + n - tasks_from]) or {}
    end
  end
  records[#records + 1] = f
end
return records
