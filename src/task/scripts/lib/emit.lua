-- @include wake_hooks.lua
-- Numbers one event, stores it in the task's log and tells the followers: those of the task, the process that waits for
-- its reply, and its webhooks. A lost message costs its reader time, never data: the log has it.
-- The log keeps the last 20,000 events or so; a reader further behind gets the task as it stands instead.
local function emit(task, id, nonce, body)
  local seq = redis.call('HINCRBY', task, 'seq', 1)
  redis.call('HSET', task, 'last', nonce)
  redis.call('XADD', task .. ':events', 'MAXLEN', '~', 20000, seq .. '-0', 'n', nonce, 'b', body)
  local note = id .. ' ' .. seq .. ' ' .. nonce .. ' ' .. body
  redis.call('PUBLISH', task, note)
  local f = redis.call('HMGET', task, 'reply', 'hooks')
  if f[1] and f[1] ~= '' then redis.call('PUBLISH', f[1], note) end
  if f[2] and f[2] ~= '' then wake_hooks(task, f[2]) end
  return seq
end
