-- What the next message of a task is checked against. Of a task of another owner nothing but the owner is read: the time that this
-- takes says nothing of the task.
-- KEYS  1 task
--       2 questions
-- ARGV  1 owner
-- Returns {traits, metadata, metadata as a message has changed it, questions, task that has the conversation, 1 where there are
--       questions}, or nil where the task is missing or foreign
if redis.call('HGET', KEYS[1], 'o') ~= ARGV[1] then return nil end
local fields = redis.call('HMGET', KEYS[1], 'i', 'm', 'g', 'qs', 'cv')
fields[6] = redis.call('EXISTS', KEYS[2])
return fields
