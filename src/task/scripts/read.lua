-- A task as it stands, in one step: what is read of it belongs to one sequence number.
-- KEYS  1 task
-- ARGV  1 task id  2 owner, or '*' for the service itself  3 messages of history, -1 for all  4 '1' with artifacts
--       5 '1' with the states it has gone through
-- Returns false, where it is missing or foreign, or {state, context, seq, nonce of the latest event, pieces of the task}
-- @include lib/shown.lua
local f = redis.call('HMGET', KEYS[1], 'owner', 'context', 'seq', 'last', 'states', unpack(SHOWN))
local owner, context, seq, last, states = unpack(f)
if not owner or (ARGV[2] ~= '*' and ARGV[2] ~= owner) then return false end
local fields, pieces = { unpack(f, 6) }, {}
if ARGV[5] == '1' then
  local metadata = fields[5]
  local before = (metadata == '' or metadata == '{}') and '{' or string.sub(metadata, 1, -2) .. ','
  fields[5] = before .. '"stateTransitions":[' .. states .. ']}'
end
<<<<<<< HEAD

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
=======
add_task(pieces, KEYS[1], ARGV[1], fields, ARGV[3], ARGV[4])
return { fields[1], context, tonumber(seq), last, pieces }
>>>>>>> reads
