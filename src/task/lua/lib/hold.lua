-- A run holds its task by the fence that its job names and a nonce of its own: the right to write to it.
-- A list of states is a text with a space around each.
local function is_one_of(state, states)
  return string.find(states, ' ' .. state .. ' ', 1, true) ~= nil
end

-- Why a run may not write, or nil when it may: only the newest run of a task that is still open writes.
local function refused(t, fence, nonce, open)
  if not t then return 'GONE' end
  if not is_one_of(t.state, open) then return 'TERMINAL' end
  if t.fence ~= fence or t.nonce ~= nonce then return 'FENCED' end
  return nil
end

-- Leaves a task without a run: a new fence makes every earlier run and job stale, and the sweep looks again at 'at'.
-- For a task that is to run, the fence is the wish to run: a job that names it may claim the task once.
local function vacate(t, due, now, at)
  put(t, 'nonce', '', 'lease', 0, 'worker', '', 'vacant', now, 'fence', t.fence + 1)
  redis.call('ZADD', due, at, t.id)
  return t.fence
end
