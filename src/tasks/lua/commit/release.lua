-- Releases a run, so that another one may begin: because the process shuts down (the attempt does not count), or
-- because the skill failed (it counts, and the next run begins later: the task is parked until then).
-- Input
--   task_key
--   due_key
--   queue_key    fair queue of this kind of skill
--   parked_key   parked tasks
--   id           task id
--   fence
--   nonce
--   open_states
--   delay_ms     ms until the next run may begin
--   stuck_ms     longest wait for a run, ms
--   is_counted   '1' when the attempt counts
-- Output
--   {'RELEASED', fence} | {'GONE' | 'TERMINAL' | 'FENCED'}
-- @include ../lib/record/record.lua
-- @include ../lib/queue/fair_queue.lua
-- @include ../lib/queue/runs.lua
local t, now = read_task(task_key, id), now_ms()
local why = refused(t, fence, nonce, open_states)
if why then return { why } end
keep_reserve(task_key)
if is_counted ~= '1' then t.attempt = math.max(0, t.attempt - 1) end
log_end(t, now, is_counted == '1' and 'broken' or 'handed-over')
vacate(t)
if t.cancel == '' and delay_ms ~= '0' then t.nonce = PARKED end
redis.call('HSET', task_key, field.word, word_of(t))
if t.cancel ~= '' then
  redis.call('ZADD', due_key, now, t.id)
elseif delay_ms ~= '0' then
  redis.call('HSET', task_key, field.has_request, '1', field.watched, now + 60000)
  for _, key in ipairs({ due_key, parked_key }) do redis.call('ZADD', key, now + delay_ms, t.id) end
else
  redis.call('ZADD', due_key, now + stuck_ms, t.id)
  join_front(queue_key, t.member)
end
return { 'RELEASED', t.fence }
