-- A task as it stands, in one step: what is read of it belongs to one sequence number.
-- KEYS  1 task
-- ARGV  1 task id  2 owner, or '*' for the service itself  3 messages of history, -1 for all  4 '1' with artifacts
--       5 '1' with the states it has gone through
-- Returns false, where it is missing or foreign, or {state, context, seq, nonce of the latest event, pieces of the task}
-- @include lib/shown.lua
-- Asked before anything else is read: the time of the answer would tell of a foreign task, by its size.
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner or (ARGV[2] ~= '*' and ARGV[2] ~= owner) then return false end

local f = redis.call('HMGET', KEYS[1], 'context', 'seq', 'last', 'states', unpack(SHOWN))
local context, seq, last, states = unpack(f)
local fields, pieces = { unpack(f, 5) }, {}
if ARGV[5] == '1' then
  local metadata = fields[5]
  local before = (metadata == '' or metadata == '{}') and '{' or string.sub(metadata, 1, -2) .. ','
  fields[5] = before .. '"stateTransitions":[' .. states .. ']}'
end
add_task(pieces, KEYS[1], ARGV[1], fields, ARGV[3], ARGV[4])
return { fields[1], context, tonumber(seq), last, pieces }
