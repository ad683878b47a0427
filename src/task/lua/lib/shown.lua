-- A task as A2A 1.0 JSON, in pieces: joined, they are what was stored as it was written. Empty history and artifacts are
-- left out. In pieces, since Redis hashes every text that a script makes, byte by byte: a megabyte takes 2 ms each time.

-- The fields that it is made of, in this order. Each takes Redis most of a microsecond to hand over, which a page of
-- fifty tasks shows: there is none that only some need.
local SHOWN = { 'state', 'ts', 'message', 'head', 'metadata' }

local function add_history(pieces, task, most)
  if most == '0' then return end
  local messages = redis.call('LRANGE', task .. ':history', most == '-1' and '0' or '-' .. most, '-1')
  for at, message in ipairs(messages) do
    pieces[#pieces + 1] = at == 1 and ',"history":[' or ','
    pieces[#pieces + 1] = message
  end
  if #messages > 0 then pieces[#pieces + 1] = ']' end
end

-- Each is a list: its head, then its parts chunk by chunk.
local function add_artifacts(pieces, task)
  local count = tonumber(redis.call('HGET', task, 'artifacts') or 0)
  for n = 1, count do
    local list = redis.call('LRANGE', task .. ':artifact:' .. n, '0', '-1')
    pieces[#pieces + 1] = (n == 1 and ',"artifacts":[' or ',') .. list[1]
    pieces[#pieces + 1] = #list == 2 and list[2] or table.concat(list, ',', 2)
    pieces[#pieces + 1] = n == count and ']}]' or ']}'
  end
end

-- fields: the values of SHOWN; most: messages of history, '-1' for all; with_artifacts: '1' for yes
local function add_task(pieces, task, id, fields, most, with_artifacts)
  local state, ts, message, head, metadata = unpack(fields)
  -- The head of the task's events has its ids as JSON, and ends where a status begins: all behind the id serves here too.
  pieces[#pieces + 1] = '{"id":"' .. id .. '"' .. string.sub(head, (string.find(head, ',', 1, true))) .. '{"state":"' .. state
    .. (message == '' and '"' or '","message":' .. message) .. ',"timestamp":"' .. ts .. '"}'
  if with_artifacts == '1' then add_artifacts(pieces, task) end
  add_history(pieces, task, most)
  pieces[#pieces + 1] = metadata == '' and '}' or ',"metadata":' .. metadata .. '}'
end
