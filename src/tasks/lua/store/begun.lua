-- The facts for checking a task's next message. For a task of another owner only the owner is read, so that the
-- response time reveals nothing of the task.
-- Input
--   task_key
--   questions_key
--   messages_key    messages by their id
--   sent_key        mark of the message, in case it began a task of this shard
--   owner
--   message_id      message id, or '' without a message
--   is_of_content   '1' when the id is derived from the content: the same words after the next question are another message
--   waiting_states  interrupted states
-- Output
--   {traits, metadata, metadata as changed by a message, questions, task that has the conversation, context, word, count of
--   changes, 1 when there are questions, message id, mark of that id, mark of the message that began the task}, or nil when the
--   task is missing or foreign
if redis.call('HGET', task_key, field.owner) ~= owner then return nil end
local fields = redis.call('HMGET', task_key, field.traits, field.metadata, field.later_metadata, field.questions, field.conversation, field.context, field.word, field.changes)
fields[9] = redis.call('EXISTS', questions_key)
if message_id == '' then return fields end
local id = message_id
if is_of_content == '1' then
  local answered = redis.call('HMGET', task_key, field.answers, field.answered)
  local asks = string.find(waiting_states, ' ' .. string.match(fields[7], '^%S+') .. ' ', 1, true)
  id = id .. '.' .. (answered[1] or 0) + (answered[2] or 0) + (asks and 1 or 0)
end
fields[10] = id
fields[11] = redis.call('HGET', messages_key, id)
fields[12] = redis.call('GET', sent_key)
return fields
