-- The sweep's check of a due open task: requeues it, or returns the reason why it must end. Leases are evaluated only here.
-- KEYS  1 task
--       2 due
--       3 fair queue
--       4 fair queue of skills with a limit
-- ARGV  1 task id
--       2 open states
--       3 interrupted states
--       4 attempts allowed where the task sets no limit
--       5 longest wait for a run, ms
--       6 losses beyond the attempts allowed that end a task whatever it ran beside
-- Returns {'LATER'} | {'AGAIN', fence} its lease has ended, and it is in the queue | {'RUN', fence} the same without a lost run
--       | {'CANCEL_OVERDUE' | 'ATTEMPTS_SPENT' | 'UNDO_SPENT' | 'UNANSWERED' | 'NEVER_RUN', fence}
-- @include lib/record.lua
-- @include lib/fair_queue.lua
-- @include lib/runs.lua
local t, id, now = read_task(KEYS[1], ARGV[1]), ARGV[1], now_ms()
if not t or not is_one_of(t.state, ARGV[2]) then
  redis.call('ZREM', KEYS[2], id)
  return { 'LATER' }
end
-- The sweep found it due a moment ago. Its run may have renewed its lease since, or it may wait for an answer.
if tonumber(redis.call('ZSCORE', KEYS[2], id) or now + 1) > now then return { 'LATER' } end
-- Its wait is over: wake.lua ends it.
if is_parked(t) then return { 'LATER' } end
if is_one_of(t.state, ARGV[3]) and t.sh == '' then return { 'UNANSWERED', t.fence } end
if t.k ~= '' then return { 'CANCEL_OVERDUE', t.fence } end

keep_reserve(KEYS[1])
local queue, is_lost, runs_apart = KEYS[t.limited == '1' and 4 or 3], t.nonce ~= '-', false
if is_lost then
  local undoes = redis.call('HEXISTS', KEYS[1], 'ce') == 1
  local most = tonumber(not undoes and t.limit or '') or tonumber(ARGV[4])
  -- Progress sets the attempts to 0, and a loss after it is none.
  local losses = t.attempt > 0 and 1 + (redis.call('HGET', KEYS[1], 'ls') or 0) or 0
  -- A process that dies takes all of its runs with it: the last loss counts where the run had no other suspect beside it.
  local is_proven = most == 1 or losses >= most + ARGV[6] or string.match(redis.call('HGET', KEYS[1], 'ap') or '', '^%d+') == tostring(t.fence)
  if losses >= most and is_proven then return { undoes and 'UNDO_SPENT' or 'ATTEMPTS_SPENT', t.fence } end
  runs_apart = losses + 1 >= most
  log_end(t, now, 'lost')
  vacate(t)
  redis.call('HSET', KEYS[1], 's', word_of(t), 'ls', losses, 'ap', runs_apart and 'next ' .. since_begin(t, now) or '')
elseif redis.call('ZSCORE', queue, t.member) then
  return { 'NEVER_RUN', t.fence }
end
redis.call('ZADD', KEYS[2], now + ARGV[5], id)
if runs_apart then join_suspects(queue, t.member, now) else join_front(queue, t.member) end
return { is_lost and 'AGAIN' or 'RUN', t.fence }
