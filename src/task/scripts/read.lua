-- Tasks of one shard as they stand, each in one step: what is read of it belongs to one sequence number.
-- KEYS  1 … tasks
-- ARGV  1 owner, or '*' for the service itself  2 messages of history, -1 for all  3 '1' with artifacts
--       4 '1' with the states it has gone through
-- Returns for each task false, where it is missing or foreign, or
--       {state, timestamp, status message, context, metadata, seq, nonce of the latest event, history, artifacts, states}
local function history_of(task)
  if ARGV[2] == '0' then return {} end
  return redis.call('LRANGE', task .. ':history', ARGV[2] == '-1' and 0 or -tonumber(ARGV[2]), -1)
end

local function artifacts_of(task, count)
  local artifacts = {}
  for n = 1, ARGV[3] == '1' and tonumber(count or '0') or 0 do
    local list = redis.call('LRANGE', task .. ':artifact:' .. n, 0, -1)
    local head = table.remove(list, 1)
    artifacts[n] = head .. table.concat(list, ',') .. ']}'
  end
  return artifacts
end

-- Asked before anything else is read: the time of the answer would tell of a foreign task, by its size.
local function is_theirs(task)
  return ARGV[1] == '*' or redis.call('HGET', task, 'owner') == ARGV[1]
end

local tasks = {}
for at, task in ipairs(KEYS) do
  local f = is_theirs(task)
    and redis.call('HMGET', task, 'state', 'ts', 'message', 'context', 'metadata', 'seq', 'artifacts', 'last', 'states')
  tasks[at] = f and f[1]
    and { f[1], f[2], f[3], f[4], f[5], tonumber(f[6]), f[8], history_of(task), artifacts_of(task, f[7]),
      ARGV[4] == '1' and f[9] or '' }
end
return tasks
