-- Copies events from the stream of schema 2 to fields of the task, from a number on. The first event is stored up to its
-- message, which is the field 'h' ('first', with the 'metadata' behind it): see lib/event.lua of src/task/lua.
-- Returns how many were copied and their bytes, without those of the first event.
local function move_events(task, stream, from, most, first, metadata)
  local entries, bytes = redis.call('XRANGE', stream, from .. '-0', '+', 'COUNT', most), 0
  for _, entry in ipairs(entries) do
    local n, nonce, body = string.match(entry[1], '^%d+'), entry[2][2], entry[2][4]
    if n == '1' then
      local head, tail = '"history":[', (metadata ~= '' and '],"metadata":' .. metadata or ']') .. '}}'
      local last = #body - #first - #tail
      if string.sub(body, last - #head + 1) == head .. first .. tail then body = string.sub(body, 1, last) end
    else
      bytes = bytes + #body
    end
    redis.call('HSET', task, 'e' .. n, nonce .. ' ' .. body)
  end
  return #entries, bytes
end
