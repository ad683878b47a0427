-- Records a possible change of the mirrored task, and ends the wait of a task that waits for such hints. A hint equal
-- to one of the last ones is a repeat, and changes nothing.
-- Input
--   task_key
--   due_key
--   parked_key         parked tasks
--   queue_key          fair queue
--   limited_queue_key  fair queue of skills with a limit
--   turns_key          positions of the queue
--   id                 task id
--   open_states
--   hint_signal        name of hints in the signals of a parked task
--   digest             digest of the hint
--   stuck_ms           longest wait for a run, ms
--   elsewhere          position that other queues serve
-- Output
--   {'GONE'} the task has ended, or is missing | {'KNOWN'} it is a repeat | {'NOTED'} the next wait ends at once
--   | {'WOKEN'[, position served]}
-- @include ../lib/record/record.lua
-- @include ../lib/queue/wake.lua
local t, now = read_task(task_key, id), now_ms()
if not t or not is_one_of(t.state, open_states) then return { 'GONE' } end
local seen = redis.call('HGET', task_key, field.hint_digests) or ''
if string.find(seen, digest, 1, true) then return { 'KNOWN' } end
keep_reserve(task_key)
redis.call('HINCRBY', task_key, field.hints, 1)
redis.call('HSET', task_key, field.hint_digests, string.sub(seen .. ' ' .. digest, -400))
if not is_parked(t) or not string.find(' ' .. t.signals .. ' ', ' ' .. hint_signal .. ' ', 1, true) then return { 'NOTED' } end
local _, served = wake(t, now, now)
return { 'WOKEN', served }
