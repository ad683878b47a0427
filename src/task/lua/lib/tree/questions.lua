-- Open questions of a tree: a hash of its root has the tasks that ask, each with the ms since when. The roots whose status is to
-- say something else of them are in a set of the shard, by the ms at which that is to be decided.
local function note_questions(questions_key, asking_key, id, now, ttl)
  redis.call('HSETNX', questions_key, id, now)
  redis.call('PEXPIRE', questions_key, math.max(ttl, redis.call('PTTL', questions_key)))
  redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$'))
end

-- None of a task is open any longer.
local function drop_questions(questions_key, asking_key, id, now)
  redis.call('HDEL', questions_key, id)
  redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$'))
end
