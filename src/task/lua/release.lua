-- Gives a run back, so that another one may begin: because the process leaves (the attempt does not count), or because
-- the skill broke down (it does, and the next run begins later: the task is parked until then).
-- KEYS  1 task
--       2 due
--       3 fair queue of this kind of skill
--       4 parked tasks
-- ARGV  1 task id
--       2 fence
--       3 nonce
--       4 open states
--       5 ms until the next run may begin
--       6 longest wait for a run, ms
--       7 '1' when the attempt counts
-- Returns {'RELEASED', fence} | {'GONE' | 'TERMINAL' | 'FENCED'}
-- @include lib/record.lua
-- @include lib/fair_queue.lua
-- @include lib/runs.lua
local t, now = read_task(KEYS[1], ARGV[1]), now_ms()
local why = refused(t, ARGV[2], ARGV[3], ARGV[4])
if why then return { why } end
keep_reserve(KEYS[1])
if ARGV[7] ~= '1' then t.attempt = math.max(0, t.attempt - 1) end
log_end(t, now, ARGV[7] == '1' and 'broken' or 'handed-over')
vacate(t)
if t.k == '' and ARGV[5] ~= '0' then t.nonce = PARKED end
redis.call('HSET', KEYS[1], 's', word_of(t))
if t.k ~= '' then
  redis.call('ZADD', KEYS[2], now, t.id)
elseif ARGV[5] ~= '0' then
  redis.call('HSET', KEYS[1], 'x', '1', 'p', now + 60000)
  for n = 2, 4, 2 do redis.call('ZADD', KEYS[n], now + ARGV[5], t.id) end
else
  redis.call('ZADD', KEYS[2], now + ARGV[6], t.id)
  join_front(KEYS[3], t.member)
end
return { 'RELEASED', t.fence }
