-- The sweep's check of a due open task: requeues it, or returns the reason why it must end. Leases are evaluated only
-- here.
-- Input
--   task_key
--   due_key
--   queue_key          fair queue
--   limited_queue_key  fair queue of skills with a limit
--   id                 task id
--   open_states
--   waiting_states     interrupted states
--   max_attempts       attempts allowed if the task sets no limit
--   stuck_ms           longest wait for a run, ms
--   extra_losses       losses beyond the allowed attempts that end a task in any case
--   lives              whether the process of an expired run lives: '1', '0', or '' for not asked yet
-- Output
--   {'LATER'} | {'EXPIRED', channel of its worker} asked with lives = '' | {'AGAIN', fence} its lease has expired, and it is
--   in the queue | {'LATE', fence} the same, and its process lives | {'RUN', fence} the same without a lost run
--   | {'CANCEL_OVERDUE' | 'ATTEMPTS_SPENT' | 'UNDO_SPENT' | 'UNANSWERED' | 'NEVER_RUN', fence}
-- @include ../lib/record/record.lua
-- @include ../lib/queue/fair_queue.lua
-- @include ../lib/queue/runs.lua
local t, now = read_task(task_key, id), now_ms()
if not t or not is_one_of(t.state, open_states) then
  redis.call('ZREM', due_key, id)
  return { 'LATER' }
end
-- The sweep found it due a moment ago. Its run may have renewed its lease since, or it may wait for an answer.
if tonumber(redis.call('ZSCORE', due_key, id) or now + 1) > now then return { 'LATER' } end
-- Its wait has expired: wake.lua ends it.
if is_parked(t) then return { 'LATER' } end
if is_one_of(t.state, waiting_states) and t.is_shown == '' then return { 'UNANSWERED', t.fence } end
if t.cancel ~= '' then return { 'CANCEL_OVERDUE', t.fence } end

local own_queue_key, is_lost, runs_apart = t.limited == '1' and limited_queue_key or queue_key, t.nonce ~= '-', false
if is_lost and lives == '' then return { 'EXPIRED', t.worker } end

keep_reserve(task_key)
local undoes = redis.call('HEXISTS', task_key, field.ending) == 1
local most = tonumber(not undoes and t.limit or '') or tonumber(max_attempts)
-- A starved process that lives has not been killed by its runs: its loss is no attempt, unless a run is never repeated.
local is_late = is_lost and lives == '1' and most > 1
if is_late then
  runs_apart = t.attempt > 0 and 1 + (redis.call('HGET', task_key, field.losses) or 0) >= most
  t.attempt = math.max(0, t.attempt - 1)
elseif is_lost then
  -- Progress resets the attempts to 0, and a loss right after it does not count.
  local losses = t.attempt > 0 and 1 + (redis.call('HGET', task_key, field.losses) or 0) or 0
  -- A process that dies loses all of its runs: the last loss counts if the run had no other beside it.
  local is_proven = most == 1 or losses >= most + extra_losses or string.match(redis.call('HGET', task_key, field.suspect) or '', '^%d+') == tostring(t.fence)
  if losses >= most and is_proven then return { undoes and 'UNDO_SPENT' or 'ATTEMPTS_SPENT', t.fence } end
  runs_apart = losses + 1 >= most
  redis.call('HSET', task_key, field.losses, losses)
elseif redis.call('ZSCORE', own_queue_key, t.member) then
  return { 'NEVER_RUN', t.fence }
end
if is_lost then
  local lived = since_begin(t, now)
  log_end(t, now, 'lost')
  vacate(t)
  redis.call('HSET', task_key, field.word, word_of(t), field.suspect, runs_apart and 'next ' .. lived or '')
end
redis.call('ZADD', due_key, now + stuck_ms, id)
if runs_apart then join_suspects(own_queue_key, t.member, now) else join_front(own_queue_key, t.member) end
return { is_late and 'LATE' or is_lost and 'AGAIN' or 'RUN', t.fence }
