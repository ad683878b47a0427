-- @include states.lua
-- Moves a task to a status: the message of the status before becomes history, the index follows.
local function enter(task, index, id, state, ts, ms, message)
  local old = redis.call('HMGET', task, 'state', 'ms', 'message', 'owner', 'context', 'skill')
  if old[3] and old[3] ~= '' then redis.call('RPUSH', task .. ':history', old[3]) end
  unindex(index, id, old[4], old[5], old[1], old[2])
  if old[1] ~= state then passed(task, state, ts) end
  redis.call('HSET', task, 'state', state, 'ts', ts, 'ms', ms, 'message', message)
  reindex(index, id, old[4], old[5], state, ms)
  count(index, old[6], old[1], -1)
  count(index, old[6], state, 1)
end
