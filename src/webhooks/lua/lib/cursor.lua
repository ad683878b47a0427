-- The cursor of a webhook: fields '<name>:<config id>' of the task's push hash.
--   config   the record         next   number of the event to deliver next      tries  failed attempts of that event
--   since    first attempt (ms)    after  not before (ms)    body   body to send, if it cannot be built again
--   lease    token of the holder   until  end of the lease (ms)
--   span     of the last failed attempt of that event, in its trace
--   refused  consecutive events refused by the receiver for good
--   dead     reason and time of the stop
--   bytes    counted bytes (hook_bytes.lua)    letters  events that are its dead letters (letters.lua)
-- @include ../../../tasks/lua/lib/hooks/hook_bytes.lua
local function get(push_key, hook, name) return redis.call('HGET', push_key, name .. ':' .. hook) end
local function set(push_key, hook, name, value) redis.call('HSET', push_key, name .. ':' .. hook, value) end

local function fields_of(hook, ...)
  local fields = {}
  for n, name in ipairs({ ... }) do fields[n] = name .. ':' .. hook end
  return unpack(fields)
end

-- Several fields at once, in the order of their names.
local function get_all(push_key, hook, ...) return unpack(redis.call('HMGET', push_key, fields_of(hook, ...))) end
local function forget(push_key, hook, ...) redis.call('HDEL', push_key, fields_of(hook, ...)) end

-- Releases the cursor: no dispatcher has the lease.
local function release(push_key, hook) forget(push_key, hook, 'lease', 'until') end

-- Whether this caller still has the lease: false if the config was deleted or another dispatcher took over.
local function holds(push_key, hook, token)
  local config, lease = get_all(push_key, hook, 'config', 'lease')
  return config and lease == token
end

-- Whether a failover has lost an event after it was handed out: its number is free, or is that of another event now. An
-- event that the log has trimmed counts as there.
local function was_taken_back(task_key, latest, seq, nonce)
  local writer = nonce_of(task_key, seq)
  if writer then return writer ~= nonce end
  return seq > latest
end

-- Stores one line per attempt for the delivery history: the last 100 of a task, for a week.
local function note_attempt(task_key, bytes_key, attempts_key, line)
  if line == '' then return end
  local bytes = #line
  if redis.call('RPUSH', attempts_key, line) > 100 then bytes = bytes - #redis.call('LPOP', attempts_key) end
  redis.call('PEXPIRE', attempts_key, 604800000)
  count_bytes(task_key, bytes_key, bytes)
end
