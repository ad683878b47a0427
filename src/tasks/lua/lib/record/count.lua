-- Number of tasks of a skill that have begun, '<skill> begun', and per state, '<skill> <state>'. Zeros are not stored.
local function uncount(counts_key, name)
  if redis.call('HINCRBY', counts_key, name, -1) <= 0 then redis.call('HDEL', counts_key, name) end
end

-- Counts a task of a skill in another state. Those in their first state are the difference to all begun.
local function count_state(counts_key, skill, before, after)
  if before == after then return end
  if before ~= 'TASK_STATE_SUBMITTED' then uncount(counts_key, skill .. ' ' .. before) end
  redis.call('HINCRBY', counts_key, skill .. ' ' .. after, 1)
end
