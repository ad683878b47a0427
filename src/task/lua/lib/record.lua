-- The record of a task: its hash, read once when a script begins and written once when it ends, since a script costs
-- what its commands cost. In between the script works on this copy: it puts fields and tells events, and save_task()
-- writes, indexes and publishes what has become of the task. A field that is missing is ''.
-- @include now.lua
-- @include index.lua
-- @include wake_hooks.lua
local FIELDS = { 'state', 'owner', 'context', 'skill', 'tenant', 'ms', 'message', 'states', 'seq', 'head', 'fence', 'nonce',
  'lease', 'worker', 'vacant', 'place', 'cancel', 'turn', 'attempts', 'limit', 'inbox', 'taken', 'answers', 'artifacts',
  'reply', 'hooks', 'sent' }

local function new_task(key, id)
  return { key = key, id = id, shard = string.match(key, '^(.*):task:'), changes = {}, told = {}, before = {} }
end

-- The record of a stored task, or nil when there is none.
local function read_task(key, id)
  local values = redis.call('HMGET', key, unpack(FIELDS))
  if not values[1] then return nil end
  local t = new_task(key, id)
  for at, name in ipairs(FIELDS) do t[name] = values[at] or '' end
  t.before = { state = t.state, ms = t.ms, reply = t.reply }
  return t
end

-- The same, or nothing when the task is somebody else's. That is asked first: the time of the answer would tell of a
-- foreign task, by its size.
local function read_task_of(owner, key, id)
  return redis.call('HGET', key, 'owner') == owner and read_task(key, id)
end

-- Changes fields: name, value, name, value …
local function put(t, ...)
  for at = 1, select('#', ...), 2 do
    local name, value = select(at, ...)
    t[name] = value
    t.changes[#t.changes + 1] = name
    t.changes[#t.changes + 1] = value
  end
end

-- Numbers an event and stores it in the task's log, which keeps the last 20,000 or so: a reader further behind gets the
-- task as it stands instead. The nonce tells who wrote it.
local function tell(t, nonce, body)
  t.seq, t.last = tonumber(t.seq) + 1, nonce
  redis.call('XADD', t.key .. ':events', 'MAXLEN', '~', 20000, t.seq .. '-0', 'n', nonce, 'b', body)
  t.told[#t.told + 1] = t.id .. ' ' .. t.seq .. ' ' .. nonce .. ' ' .. body
end

-- Tells the followers, a line for each event: those of the task, and the process that waits for its reply. A message
-- that is lost costs its reader time, never data: the log has it. A task that is only now created has no followers.
local function publish(t)
  local lines = table.concat(t.told, '\n')
  if t.before.state then redis.call('PUBLISH', t.key, lines) end
  if (t.before.reply or '') ~= '' then redis.call('PUBLISH', t.before.reply, lines) end
  if t.hooks ~= '' then wake_hooks(t.key, t.hooks) end
end

-- The TTL of a finished task's keys.
local function expire(t)
  for _, part in ipairs({ '', ':history', ':events', ':state' }) do redis.call('PEXPIRE', t.key .. part, t.ttl) end
  if t.hooks ~= '' then redis.call('PEXPIRE', t.key .. ':push', t.ttl) end
  for n = 1, t.artifacts do redis.call('PEXPIRE', t.key .. ':artifact:' .. n, t.ttl) end
end

local function save_task(t)
  if #t.told > 0 then put(t, 'seq', t.seq, 'last', t.last) end
  redis.call('HSET', t.key, unpack(t.changes))
  move(t)
  if t.ttl then expire(t) end
  if #t.told > 0 then publish(t) end
end
