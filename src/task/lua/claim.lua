-- Claims the run of a task for a worker with a free slot. The task becomes WORKING with the first event of the run.
-- KEYS  1 task
--       2 due
--       3 fair queue
--       4 fair queue of skills with a limit
--       5 positions of the queue
--       6 history
--       7 journal
-- ARGV  1 task id
--       2 fence, or '*' for the present one
--       3 nonce
--       4 worker's channel
--       5 lease, ms
--       6 open states
--       7 interrupted states: no run is wanted, unless the turn goes on
--       8 most messages of earlier turns
--       9 … fields to return
-- Returns {'GONE' | 'TERMINAL' | 'STALE'} | {'CLAIMED', ms, word, {value, …},
--       {index of the turn's first message, index behind its last, index of the first that is returned beside index 0},
--       {message 0, message, …},
--       {name, value, …} of the journal, its position in the queue}. A turn that has waited is repeated: its messages are those
--       that it had, those that came later stand behind them, and its journal is returned with it
-- @include lib/record.lua
-- @include lib/fair_queue.lua
-- @include lib/runs.lua
local t, now = read_task(KEYS[1], ARGV[1]), now_ms()
if not t then return { 'GONE' } end
if not is_one_of(t.state, ARGV[6]) then return { 'TERMINAL' } end
if ARGV[2] ~= '*' and t.fence ~= tonumber(ARGV[2]) then return { 'STALE' } end
-- The nonce is unique to one claim: a task with it was claimed by this call, whose reply was lost.
local again = t.nonce == ARGV[3]
-- A task with a cancel request does not begin: the sweep ends it.
local wants_none = is_one_of(t.state, ARGV[7]) and t.sh == ''
if (t.nonce ~= '-' and not again) or wants_none or t.k ~= '' then return { 'STALE' } end

keep_reserve(KEYS[1])
local queue, other = KEYS[3], KEYS[4]
if t.limited == '1' then queue, other = other, queue end
local position = leave_queue(queue, other, KEYS[5], t.member, true)
local repeats = string.match(t.f, '^%d+') == tostring(t.turn)
local length, from, upto = 1 + redis.call('LLEN', KEYS[6]), read_inbox(t)
if not again then
  t.nonce, t.attempt = ARGV[3], t.attempt + 1
  redis.call('HSET', KEYS[1], 's', word_of(t), 'd', ARGV[4])
  if t.attempt == 1 then
    redis.call('HDEL', KEYS[1], 'ls')
  else
    local lived = string.match(redis.call('HGET', KEYS[1], 'ap') or '', '^next (%d+)$')
    if lived then redis.call('HSET', KEYS[1], 'ap', t.fence .. ' ' .. lived) end
  end
  log_begin(t, ARGV[4], now)
  if not repeats then
    if length > 1 then redis.call('HSET', KEYS[1], 'q', from .. ' ' .. length .. ' 0') end
    upto = length
  end
end
redis.call('ZADD', KEYS[2], now + ARGV[5], ARGV[1])
-- The index of the first message that the run is given; index 0 is the field 'h', index n is item n - 1 of the list.
local first = math.max(0, math.min(from, upto - ARGV[8]))
local behind = repeats and length or upto
local messages = behind > 1 and redis.call('LRANGE', KEYS[6], math.max(0, first - 1), behind - 2) or {}
table.insert(messages, 1, redis.call('HGET', KEYS[1], 'h'))
return { 'CLAIMED', now, word_of(t), redis.call('HMGET', KEYS[1], unpack(ARGV, 9)), { from, upto, first }, messages,
  repeats and redis.call('HGETALL', KEYS[7]) or {}, position }
