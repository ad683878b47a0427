-- Open questions of a tree: a hash of its root has the tasks that ask, each with the ms since when. The roots whose status is to
-- say something else of them are in a set of the shard, by the ms at which that is to be decided.
local function note_questions(questions, asking, id, now, ttl)
  redis.call('HSETNX', questions, id, now)
  redis.call('PEXPIRE', questions, math.max(ttl, redis.call('PTTL', questions)))
  redis.call('ZADD', asking, now, string.match(questions, '([^:]+):questions$'))
end

-- None of a task is open any longer.
local function drop_questions(questions, asking, id, now)
  redis.call('HDEL', questions, id)
  redis.call('ZADD', asking, now, string.match(questions, '([^:]+):questions$'))
end
