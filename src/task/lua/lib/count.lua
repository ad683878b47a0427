-- How many tasks of a skill have begun, '<skill> begun', and are in which state, '<skill> <state>'. What is 0 is not kept.
local function uncount(counts, field)
  if redis.call('HINCRBY', counts, field, -1) <= 0 then redis.call('HDEL', counts, field) end
end

-- Counts a task of a skill in another state. Those in their first state are what is left of all that have begun.
local function count_state(counts, skill, before, after)
  if before == after then return end
  if before ~= 'TASK_STATE_SUBMITTED' then uncount(counts, skill .. ' ' .. before) end
  redis.call('HINCRBY', counts, skill .. ' ' .. after, 1)
end
