-- Claims the run of a task for a worker with a free slot. The task becomes WORKING with the first event of the run.
-- Input
--   task_key
--   due_key
--   queue_key          fair queue
--   limited_queue_key  fair queue of skills with a limit
--   turns_key          positions of the queue
--   history_key
--   journal_key
--   id                 task id
--   fence              fence, or '*' for the present one
--   nonce
--   worker             worker's channel
--   lease_ms           lease, ms
--   open_states
--   waiting_states     interrupted states: no run is needed, unless the turn continues
--   max_earlier        most messages of earlier turns
--   is_alone           '1' when no other run is in its process, and none begins there
--   fields …           fields to return
-- Output
--   {'GONE' | 'TERMINAL' | 'STALE'} | {'CLAIMED', ms, word, {value, …},
--   {index of the turn's first message, index after its last, index of the first one returned besides index 0},
--   {message 0, message, …},
--   {name, value, …} of the journal, 1 when there is one, its position in the queue}. A turn that has waited is replayed: its own messages come first,
--   later ones follow them, and its journal is returned as well
-- @include ../lib/record/record.lua
-- @include ../lib/queue/leave_queues.lua
-- @include ../lib/queue/runs.lua
local t, now = read_task(task_key, id), now_ms()
if not t then return { 'GONE' } end
if not is_one_of(t.state, open_states) then return { 'TERMINAL' } end
if fence ~= '*' and t.fence ~= tonumber(fence) then return { 'STALE' } end
-- The nonce is unique to one claim: a task with it was claimed by this call, whose reply was lost.
local again = t.nonce == nonce
-- A task with a cancel request does not begin: the sweep ends it.
local wants_none = is_one_of(t.state, waiting_states) and t.is_shown == ''
if (t.nonce ~= '-' and not again) or wants_none or t.cancel ~= '' then return { 'STALE' } end

keep_reserve(task_key)
local position = leave_queues(t, true)
local repeats = string.match(t.replay, '^%d+') == tostring(t.turn)
local length, from, upto = 1 + redis.call('LLEN', history_key), read_inbox(t)
if not again then
  t.nonce, t.attempt = nonce, t.attempt + 1
  redis.call('HSET', task_key, field.word, word_of(t), field.worker, worker)
  if t.attempt == 1 then
    redis.call('HDEL', task_key, field.losses)
  else
    local lived = string.match(redis.call('HGET', task_key, field.suspect) or '', '^next (%d+)$')
    if lived then redis.call('HSET', task_key, field.suspect, (is_alone == '1' and t.fence or '-') .. ' ' .. lived) end
  end
  log_begin(t, worker, now)
  if not repeats then
    if length > 1 then redis.call('HSET', task_key, field.inbox, from .. ' ' .. length .. ' 0') end
    upto = length
  end
end
redis.call('ZADD', due_key, now + lease_ms, id)
-- The index of the first message passed to the run; index 0 is the field 'h', index n is item n - 1 of the list.
local first = math.max(0, math.min(from, upto - max_earlier))
local behind = repeats and length or upto
local messages = behind > 1 and redis.call('LRANGE', history_key, math.max(0, first - 1), behind - 2) or {}
table.insert(messages, 1, redis.call('HGET', task_key, field.first_message))
return { 'CLAIMED', now, word_of(t), redis.call('HMGET', task_key, unpack(ARGV, fields_from)), { from, upto, first }, messages,
  repeats and redis.call('HGETALL', journal_key) or {}, redis.call('EXISTS', journal_key), position }
