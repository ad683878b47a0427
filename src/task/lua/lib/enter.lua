-- A state that the task has gone through, with its time (SEED-07). A status that tells progress only is none.
local function passed(state, ts)
  return '{"state":"' .. state .. '","timestamp":"' .. ts .. '"}'
end

-- Moves a task to a status: the message of the status before becomes history.
local function enter(t, state, ts, ms, message)
  if t.message ~= '' then redis.call('RPUSH', t.key .. ':history', t.message) end
  if t.state ~= state then put(t, 'states', t.states .. ',' .. passed(state, ts)) end
  put(t, 'state', state, 'ts', ts, 'ms', ms, 'message', message)
end
