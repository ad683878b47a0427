-- Why a run may not write, or nil when it may: only the newest run of a task that is still open writes.
-- A list of states is a text with a space around each.
local function refused(task, fence, nonce, open)
  local held = redis.call('HMGET', task, 'state', 'fence', 'nonce')
  if not held[1] then return 'GONE' end
  if not string.find(open, ' ' .. held[1] .. ' ', 1, true) then return 'TERMINAL' end
  if held[2] ~= fence or held[3] ~= nonce then return 'FENCED' end
  return nil
end
