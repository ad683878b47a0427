-- Gives a message to the questions that it answers. In ARGV from 'at' on are, for each task that asks: its id, its questions as the
-- caller has read them, those that are left or '', how it gets the answer ('ask', 'turn' or 'vote'), and how many of entries of its
-- journal (name, value) follow, and they; for 'turn' it is one, and its value is the message of the next turn. 'vote': other persons
-- must give the same answer, and what is left has this one. In KEYS from 'k' on are the task and its journal.
-- @include questions.lua
-- @include journal.lua

-- Whether all are as they were read: another answer, or the end of a wait, may have come before.
local function are_open(k, at, last)
  while at <= last do
    if (redis.call('HGET', KEYS[k], 'qs') or '') ~= ARGV[at + 1] then return false end
    k, at = k + 2, at + 5 + ARGV[at + 4]
  end
  return true
end

local function have_room(k, at, last, limits)
  while at <= last do
    local upto = at + 4 + ARGV[at + 4]
    if not has_journal_room(KEYS[k], KEYS[k + 1], at + 5, upto, limits) then return false end
    k, at = k + 2, upto + 1
  end
  return true
end

-- Wakes those that are parked and notifies those that run. Returns how many runs are in the fair queues now.
local function give_answers(k, at, last, keys, now, of)
  local runs = 0
  while at <= last do
    local id, left, how, upto = ARGV[at], ARGV[at + 2], ARGV[at + 3], at + 4 + ARGV[at + 4]
    local t = read_task(KEYS[k], id)
    if left == '' then redis.call('HDEL', t.key, 'qs') else redis.call('HSET', t.key, 'qs', left) end
    if how == 'turn' then
      redis.call('HSET', t.key, 'fw', ARGV[upto])
      redis.call('ZADD', keys.asking, now, string.match(keys.questions, '([^:]+):questions$'))
    elseif how == 'vote' then
      redis.call('HINCRBY', t.key, 'an', 1)
    else
      if left == '' then drop_questions(keys.questions, keys.asking, id, now) end
      redis.call('HINCRBY', t.key, 'an', 1)
      add_to_journal(t.key, KEYS[k + 1], at + 5, upto, of)
      if is_parked(t) then
        wake(t, now, keys, now, of.longest, of.elsewhere)
        runs = runs + 1
      elseif t.nonce ~= '-' and t.d ~= '' then
        redis.call('PUBLISH', t.d, 'message ' .. id .. ' ' .. t.fence)
      end
    end
    k, at = k + 2, upto + 1
  end
  return runs
end
