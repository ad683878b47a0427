-- The messages that wait for the task's skill: their places in its history, a space between. A run takes those that
-- stand there when it begins, and its turn answers them; those that come later wait for the next turn.
local function put_in_inbox(t, length)
  put(t, 'inbox', t.inbox == '' and tostring(length - 1) or t.inbox .. ' ' .. (length - 1))
end

local function count_inbox(t)
  local _, count = string.gsub(t.inbox, '%d+', '')
  return count
end

-- Drops what the turn has answered.
local function answer_inbox(t)
  local left = {}
  for place in string.gmatch(t.inbox, '%d+') do left[#left + 1] = place end
  put(t, 'inbox', table.concat(left, ' ', math.min(tonumber(t.taken), #left) + 1), 'taken', 0)
end
