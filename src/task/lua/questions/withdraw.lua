-- Takes back questions of a task whose time is over, unless they have been answered meanwhile.
-- Input
--   task_key
--   questions_key  questions of its tree
--   asking_key     roots whose questions are to be shown
--   id             task id
--   seen           its questions as they were read
--   left           those that are left, '' for none
-- Output
--   1 | 0 its questions are others now
local now = redis.call('TIME')[1] * 1000
if (redis.call('HGET', task_key, field.questions) or '') ~= seen then return 0 end
if left == '' then redis.call('HDEL', task_key, field.questions) else redis.call('HSET', task_key, field.questions, left) end
if left == '' then redis.call('HDEL', questions_key, id) end
redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$'))
return 1
