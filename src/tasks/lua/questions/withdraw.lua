-- Withdraws expired questions of a task, unless they have been answered meanwhile.
-- Input
--   task_key
--   questions_key  questions of its tree
--   asking_key     roots whose questions must be shown
--   id             task id
--   seen           its questions as read
--   left           the remaining ones, '' for none
-- Output
--   1 | 0 its questions have changed
local now = redis.call('TIME')[1] * 1000
if (redis.call('HGET', task_key, field.questions) or '') ~= seen then return 0 end
if left == '' then redis.call('HDEL', task_key, field.questions) else redis.call('HSET', task_key, field.questions, left) end
if left == '' then redis.call('HDEL', questions_key, id) end
redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$'))
return 1
