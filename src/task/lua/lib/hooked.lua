-- The record of a task and its event log as the scripts of webhooks (src/push) see them. They read and change neither in
-- any other way, so that the shape of the record is known to the scripts of tasks alone.

-- Nil when there is no such task. 'hooks': the ids of its webhooks, a space between; 'seq': number of its latest event.
local function read_hooked(task)
  local f = redis.call('HMGET', task, 'state', 'owner', 'seq', 'hooks', 'trace', 'tracestate')
  if not f[1] then return nil end
  return { state = f[1], owner = f[2], seq = tonumber(f[3]), hooks = f[4] or '', trace = f[5] or '', tracestate = f[6] or '' }
end

local function put_hooks(task, hooks) redis.call('HSET', task, 'hooks', hooks) end

-- The events from a number on: {seq, nonce, body} each. The first one is a later one when the log has trimmed some.
local function read_events(task, from, most)
  local events = {}
  for n, entry in ipairs(redis.call('XRANGE', task .. ':events', from .. '-0', '+', 'COUNT', most)) do
    events[n] = { tonumber(string.match(entry[1], '^%d+')), entry[2][2], entry[2][4] }
  end
  return events
end

-- The nonce of the writer of an event, or nil when the log does not have it.
local function nonce_of(task, seq)
  local entry = redis.call('XRANGE', task .. ':events', seq .. '-0', seq .. '-0')[1]
  return entry and entry[2][2]
end
