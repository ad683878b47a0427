-- The states that a task has gone through, each with its time (SEED-07). A status that tells progress only is none.
local function passed(task, state, ts)
  redis.call('RPUSH', task .. ':states', '{"state":"' .. state .. '","timestamp":"' .. ts .. '"}')
end
