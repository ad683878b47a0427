-- What the next message of a task is checked against. Of a task of another owner nothing but the owner is read: the time that this
-- takes says nothing of the task.
-- KEYS  1 task
--       2 questions
--       3 messages by their id
--       4 mark of the message, should it have begun a task of this shard
-- ARGV  1 owner
--       2 message id, or '' without a message
--       3 '1' where the id was made of the content: the same words after the next question are another message
--       4 interrupted states
-- Returns {traits, metadata, metadata as a message has changed it, questions, task that has the conversation, context, word, count of
--       changes, 1 where there are questions, message id, mark of that id, mark of the message that began the task}, or nil where the
--       task is missing or foreign
if redis.call('HGET', KEYS[1], 'o') ~= ARGV[1] then return nil end
local fields = redis.call('HMGET', KEYS[1], 'i', 'm', 'g', 'qs', 'cv', 'c', 's', 'v')
fields[9] = redis.call('EXISTS', KEYS[2])
if ARGV[2] == '' then return fields end
local id = ARGV[2]
if ARGV[3] == '1' then
  local answered = redis.call('HMGET', KEYS[1], 'y', 'an')
  local asks = string.find(ARGV[4], ' ' .. string.match(fields[7], '^%S+') .. ' ', 1, true)
  id = id .. '.' .. (answered[1] or 0) + (answered[2] or 0) + (asks and 1 or 0)
end
fields[10] = id
fields[11] = redis.call('HGET', KEYS[3], id)
fields[12] = redis.call('GET', KEYS[4])
return fields
