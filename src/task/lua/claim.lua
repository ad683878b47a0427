-- Gives a run to a worker: once per fence. The task becomes WORKING with the first event of the run.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 fence  3 nonce  4 worker's channel  5 lease, ms  6 open states
--       7 interrupted states: no run is wanted, whatever a job says  8 … the fields to return
-- Returns {'GONE' | 'TERMINAL' | 'STALE'} | {'CLAIMED', {value, …}, history}
-- @include lib/record.lua
-- @include lib/hold.lua
-- @include lib/line.lua
-- @include lib/inbox.lua
local t = read_task(KEYS[1], ARGV[1])
if not t then return { 'GONE' } end
if not is_one_of(t.state, ARGV[6]) then return { 'TERMINAL' } end
if t.fence ~= ARGV[2] then return { 'STALE' } end
-- The nonce is made for one claim: a task that has it was claimed by this very call, whose reply was lost.
local again = t.nonce == ARGV[3]
if t.nonce ~= '' and not again then return { 'STALE' } end
if is_one_of(t.state, ARGV[7]) then return { 'STALE' } end

leave_line(t, true)
put(t, 'nonce', ARGV[3], 'lease', now_ms() + ARGV[5], 'worker', ARGV[4], 'taken', count_inbox(t))
if not again then put(t, 'attempts', t.attempts + 1) end
redis.call('ZADD', KEYS[2], t.lease, t.id)
save_task(t)
return { 'CLAIMED', redis.call('HMGET', t.key, unpack(ARGV, 8)), redis.call('LRANGE', t.key .. ':history', 0, -1) }
