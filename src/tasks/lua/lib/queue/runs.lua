-- The runs of a task, for operators: fields 'R<fence>' of its hash, '<turn> <attempt> <process> <start, ms>', for an
-- ended run followed by ' <end, ms> <how it ended>'; 'E<fence>' has the error of a failed one. The latest are kept.
local KEPT_RUNS = 50

-- The channel of a worker names its process.
local function log_begin(t, channel, now)
  redis.call('HSET', t.key, field.run .. t.fence, t.turn .. ' ' .. t.attempt .. ' ' .. (string.match(channel, ':process:([^:]+)') or '-')
    .. ' ' .. now)
  if t.fence > KEPT_RUNS then redis.call('HDEL', t.key, field.run .. (t.fence - KEPT_RUNS), field.run_error .. (t.fence - KEPT_RUNS)) end
end

-- Lifetime of the run, ms.
local function since_begin(t, now)
  return now - (string.match(redis.call('HGET', t.key, field.run .. t.fence) or '', '^%S+ %S+ %S+ (%d+)') or now)
end

-- The end of a run that does not commit it itself.
local function log_end(t, now, how)
  local run = redis.call('HGET', t.key, field.run .. t.fence)
  if run then redis.call('HSET', t.key, field.run .. t.fence, run .. ' ' .. now .. ' ' .. how) end
end
