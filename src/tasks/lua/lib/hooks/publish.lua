-- Publishes new events to the subscribers of a task, and wakes its webhooks. A lost message costs its reader time,
-- never data: the log has the event. A line is '<task id> <seq> <nonce> <event>'; number 0 stands for a change of the
-- task without an event.
-- @include outbox.lua

local EVENT = '^' .. field.event .. '(%d+)$'
-- A line per event among the fields (name, value) in a part of ARGV.
local function lines_of(id, first, last)
  local lines = {}
  for at = first, last, 2 do
    local seq = string.match(ARGV[at], EVENT)
    if seq then lines[#lines + 1] = id .. ' ' .. seq .. ' ' .. ARGV[at + 1] end
  end
  return table.concat(lines, '\n')
end

-- The scripts have the key of the outbox, and 'hints' and 'shard' of the dispatchers.
local function publish_events(t, now, lines)
  if t.watched ~= '' and tonumber(t.watched) > now then redis.call('PUBLISH', t.key, lines()) end
  if t.reply ~= '' then redis.call('PUBLISH', t.reply, lines()) end
  if t.hooks ~= '' then wake_webhooks(outbox_key, hints, shard, t.id, t.hooks, now) end
end
