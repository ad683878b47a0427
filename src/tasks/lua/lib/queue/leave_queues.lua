-- Removes the run of a task from its fair queue: the script has both queues and their positions. Returns the position
-- of the run.
-- @include fair_queue.lua
local function leave_queues(t, served)
  if t.limited == '1' then return leave_queue(limited_queue_key, queue_key, turns_key, t.member, served) end
  return leave_queue(queue_key, limited_queue_key, turns_key, t.member, served)
end
