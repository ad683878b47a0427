-- Numbers one event, stores it in the task's log and tells the followers: those of the task, and the process that
-- waits for its reply. A lost message costs its reader time, never data: the log has it.
-- The log keeps the last 20,000 events or so; a reader further behind gets the task as it stands instead.
local function emit(task, id, nonce, body)
  local seq = redis.call('HINCRBY', task, 'seq', 1)
  redis.call('HSET', task, 'last', nonce)
  redis.call('XADD', task .. ':events', 'MAXLEN', '~', 20000, seq .. '-0', 'n', nonce, 'b', body)
  local note = id .. ' ' .. seq .. ' ' .. nonce .. ' ' .. body
  redis.call('PUBLISH', task, note)
  local reply = redis.call('HGET', task, 'reply')
  if reply and reply ~= '' then redis.call('PUBLISH', reply, note) end
  return seq
end
