-- A task as it stands, in one step: what is read belongs to one sequence number.
-- KEYS  1 task
-- ARGV  1 owner, or '*' for the service itself  2 messages of history, -1 for all  3 '1' with artifacts
-- Returns nil | {state, timestamp, status message, context, metadata, seq, nonce of the latest event,
--       history, artifacts}
local f = redis.call('HMGET', KEYS[1], 'state', 'ts', 'message', 'context', 'metadata', 'seq', 'owner', 'artifacts', 'last')
if not f[1] or (ARGV[1] ~= '*' and ARGV[1] ~= f[7]) then return nil end

local history = {}
if ARGV[2] ~= '0' then
  history = redis.call('LRANGE', KEYS[1] .. ':history', ARGV[2] == '-1' and 0 or -tonumber(ARGV[2]), -1)
end
local artifacts = {}
if ARGV[3] == '1' then
  for n = 1, tonumber(f[8] or '0') do
    local list = redis.call('LRANGE', KEYS[1] .. ':artifact:' .. n, 0, -1)
    local head = table.remove(list, 1)
    artifacts[n] = head .. table.concat(list, ',') .. ']}'
  end
end
return { f[1], f[2], f[3], f[4], f[5], tonumber(f[6]), f[9], history, artifacts }
