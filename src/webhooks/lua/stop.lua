-- Stops a webhook: nothing is sent until it is revived, and its cursor keeps its position.
-- Input
--   task_key
--   push_key
--   outbox_key
--   dead_key        dead letters
--   dead_times_key  their times
--   attempts_key    last attempts
--   bytes_key       stored bytes
--   id              task id
--   hook            config id
--   token           token of the caller
--   why             why and when
--   dead_name       dead letter's name
--   dead_letter
--   ahead_ms        ms to add to the server's clock
--   line            line of the attempt, or ''
-- Output
--   'LOST' | 'OK'
-- @include ../../tasks/lua/lib/run/now.lua
-- @include lib/cursor.lua
-- @include lib/bury.lua
if redis.call('EXISTS', task_key) == 0 then return 'LOST' end
note_attempt(task_key, bytes_key, attempts_key, line)
if not holds(push_key, hook, token) then return 'LOST' end

set(push_key, hook, 'dead', why)
release(push_key, hook)
redis.call('ZREM', outbox_key, id .. ' ' .. hook)
bury({ push_key = push_key, hook = hook, dead_key = dead_key, dead_times_key = dead_times_key },
  now_ms() + ahead_ms, dead_name, dead_letter)
count_hook(task_key, push_key, hook, bytes_key)
return 'OK'
