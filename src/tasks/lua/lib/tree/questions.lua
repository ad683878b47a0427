-- Open questions of a tree: a hash of its root has the asking tasks, each with the ms of its first question. The roots
-- whose status must change are in a set of the shard, by the ms of the next check.
local function note_questions(questions_key, asking_key, id, now, ttl)
  redis.call('HSETNX', questions_key, id, now)
  redis.call('PEXPIRE', questions_key, math.max(ttl, redis.call('PTTL', questions_key)))
  redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$'))
end

-- Removes a task without open questions.
local function drop_questions(questions_key, asking_key, id, now)
  redis.call('HDEL', questions_key, id)
  redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$'))
end
