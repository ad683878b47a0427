-- Notes that what a task mirrors may have changed, and ends the wait of a task that waits for such hints. A hint that says the
-- same as one of the last ones is repeated, and changes nothing.
-- KEYS  1 task
--       2 due
--       3 parked tasks
--       4 fair queue
--       5 fair queue of skills with a limit
--       6 positions of the queue
-- ARGV  1 task id
--       2 open states
--       3 how the signals of a parked task name hints
--       4 digest of the hint
--       5 longest wait for a run, ms
--       6 position that other queues serve
-- Returns {'GONE'} the task has ended, or there is none | {'KNOWN'} it is repeated | {'NOTED'} the next wait ends at once
--       | {'WOKEN'[, position served]}
-- @include lib/record.lua
-- @include lib/wake.lua
local t, now = read_task(KEYS[1], ARGV[1]), now_ms()
if not t or not is_one_of(t.state, ARGV[2]) then return { 'GONE' } end
local seen = redis.call('HGET', KEYS[1], 'hd') or ''
if string.find(seen, ARGV[4], 1, true) then return { 'KNOWN' } end
keep_reserve(KEYS[1])
redis.call('HINCRBY', KEYS[1], 'hn', 1)
redis.call('HSET', KEYS[1], 'hd', string.sub(seen .. ' ' .. ARGV[4], -400))
if not is_parked(t) or not string.find(' ' .. t.l .. ' ', ' ' .. ARGV[3] .. ' ', 1, true) then return { 'NOTED' } end
local keys = { due = KEYS[2], parked = KEYS[3], queue = KEYS[4], limited_queue = KEYS[5], turns = KEYS[6] }
local _, served = wake(t, now, keys, now, ARGV[5], ARGV[6])
return { 'WOKEN', served }
