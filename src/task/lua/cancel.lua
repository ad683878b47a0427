-- Cancels a task for its owner: at once if no worker runs it, else by a cancel request to the worker, which the sweep
-- enforces after a grace period.
-- KEYS  as lib/end.lua
-- ARGV  as lib/end.lua, then
--       16 owner
--       17 grace, ms
-- Returns {'NOT_FOUND'} | {'TERMINAL', state} | {'CANCELED', seq, rev} | {'REQUESTED', seq, rev} it ends when its run has
--       stopped, or its work is undone
--       | {'EARLIER', ms} the status would be older than the one before
-- @include lib/record.lua
-- @include lib/end.lua
local t, now = read_task_of(ARGV[16], KEYS[1], ARGV[1]), now_ms()
if not t then return { 'NOT_FOUND' } end
if not is_one_of(t.state, ARGV[3]) then return { 'TERMINAL', t.state } end
if redis.call('HEXISTS', KEYS[1], 'ce') == 1 then return { 'REQUESTED', t.seq, tonumber(redis.call('HGET', t.key, 'v') or 0) } end

local due = tonumber(redis.call('ZSCORE', KEYS[2], t.id) or 0)
if t.nonce ~= '-' and not is_parked(t) and due > now then
  local rev
  if t.k == '' then
    keep_reserve(t.key)
    -- The caller of a cancel waits for the end, at least a minute.
    redis.call('HSET', t.key, 'k', now, 'x', '1', 'p', now + 60000)
    rev = redis.call('HINCRBY', t.key, 'v', 1)
    cancel_children(t, now)
    redis.call('ZADD', KEYS[2], math.min(due, now + ARGV[17]), t.id)
  else
    -- The first cancel may have been made and refused, because no replica had it.
    rev = tonumber(redis.call('HGET', t.key, 'v') or 0)
  end
  redis.call('PUBLISH', t.d, 'cancel ' .. t.id .. ' ' .. t.fence)
  return { 'REQUESTED', t.seq, rev }
end
if ARGV[6] < t.ms then return { 'EARLIER', t.ms } end
if undoes_first(t, now) then return { 'REQUESTED', t.seq, redis.call('HINCRBY', t.key, 'v', 1) } end
end_task(t, now)
return { 'CANCELED', t.seq, 0 }
