-- Gives a message to the questions that it answers: 'answers' has each asking task, 'answered' its keys. Only for
-- resume.lua. 'ask' puts the answer into the task's journal; with 'turn' it is one entry, whose value is the message of
-- the next turn; with 'vote' other persons must give the same answer, and the remaining questions contain this one.
-- @include questions.lua
-- @include ../run/journal.lua

-- Calls back with each answer and the keys of its task, until that returns a value.
local function each_answer(call_back)
  local at, key_at = answers_from, answered_from
  while at <= answers_to do
    -- @row answers at
    -- @row answered key_at
    local result = call_back({ id = id, seen = seen, left = left, how = how, first = entries_from, last = entries_to },
      answering_key, answering_journal_key)
    if result ~= nil then return result end
    at, key_at = entries_to + 1, key_at + answered_step
  end
end

-- Whether all are unchanged since they were read: another answer, or the end of a wait, may have come first.
local function are_open()
  return each_answer(function(answer, answering_key)
    if (redis.call('HGET', answering_key, field.questions) or '') ~= answer.seen then return false end
  end) ~= false
end

local function have_room()
  return each_answer(function(answer, answering_key, answering_journal_key)
    if not has_journal_room(answering_key, answering_journal_key, answer.first, answer.last) then return false end
  end) ~= false
end

-- Wakes the parked ones and notifies the running ones. Returns the number of runs put into the fair queues.
local function give_answers(now)
  local runs = 0
  each_answer(function(answer, answering_key, answering_journal_key)
    local t = read_task(answering_key, answer.id)
    if answer.left == '' then
      redis.call('HDEL', answering_key, field.questions)
    else
      redis.call('HSET', answering_key, field.questions, answer.left)
    end
    if answer.how == 'turn' then
      redis.call('HSET', answering_key, field.forwarded, ARGV[answer.last])
      redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$'))
      return
    end
    redis.call('HINCRBY', answering_key, field.answered, 1)
    if answer.how == 'vote' then return end
    if answer.left == '' then drop_questions(questions_key, asking_key, answer.id, now) end
    add_to_journal(answering_key, answering_journal_key, answer.first, answer.last)
    if is_parked(t) then
      wake(t, now, now)
      runs = runs + 1
    elseif t.nonce ~= '-' and t.worker ~= '' then
      redis.call('PUBLISH', t.worker, 'message ' .. answer.id .. ' ' .. t.fence)
    end
  end)
  return runs
end
