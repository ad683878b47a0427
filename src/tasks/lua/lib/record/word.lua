-- The state word of a task: its write guard, one text that is compared and replaced as a whole:
-- '<state> <number of the latest event> <fence> <holder> <turn> <attempt> <nonce of the latest event>'. The holder is
-- the nonce of the run that has the task, '-' when a run is to begin, or '~' when the task is parked until its wait
-- ends.
local function read_word(text)
  local state, seq, fence, nonce, turn, attempt, last =
    string.match(text, '^(%S+) (%d+) (%d+) (%S+) (%d+) (%d+) (%S+)$')
  return { state = state, seq = tonumber(seq), fence = tonumber(fence), nonce = nonce, turn = tonumber(turn),
    attempt = tonumber(attempt), last = last }
end

local function word_of(t)
  return t.state .. ' ' .. t.seq .. ' ' .. t.fence .. ' ' .. t.nonce .. ' ' .. t.turn .. ' ' .. t.attempt .. ' ' .. t.last
end

-- A list of states is a text with a space around each.
local function is_one_of(state, states)
  return string.find(states, ' ' .. state .. ' ', 1, true) ~= nil
end

-- The reason why a run may not write, or nil when it may: only the newest run of an open task writes.
local function refused(t, fence, nonce, open)
  if not t then return 'GONE' end
  if not is_one_of(t.state, open) then return 'TERMINAL' end
  if t.fence ~= tonumber(fence) or t.nonce ~= nonce then return 'FENCED' end
  return nil
end

-- Leaves a task without a run: a new fence makes every earlier run stale.
local function vacate(t)
  t.nonce, t.fence = '-', t.fence + 1
end

-- Leaves a task without a run until its wait ends.
local PARKED = '~'
local function is_parked(t) return t.nonce == PARKED end
