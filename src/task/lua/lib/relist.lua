-- Lists of an owner's open tasks by state: of those that have begun or wait. Tasks in their first state are what is left of
-- all open ones. They are six of KEYS, before the last one: WORKING, INPUT_REQUIRED and AUTH_REQUIRED of the owner, then the
-- same of the context.
local BEFORE_LAST = { TASK_STATE_WORKING = 6, TASK_STATE_INPUT_REQUIRED = 5, TASK_STATE_AUTH_REQUIRED = 4 }

-- Moves a task from its list before, where its entry was 'from', to that of its state after, where its entry is 'to'.
local function relist(before, from, after, to, is_named)
  for further = 0, is_named and 3 or 0, 3 do
    if BEFORE_LAST[before] then redis.call('ZREM', KEYS[#KEYS - BEFORE_LAST[before] + further], from) end
    if BEFORE_LAST[after] then redis.call('ZADD', KEYS[#KEYS - BEFORE_LAST[after] + further], 0, to) end
  end
end
