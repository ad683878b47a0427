-- Lists of an owner's open tasks by state: of those that have begun or wait. Tasks in their first state are the
-- remaining open ones. The scripts have a key of the owner and one of the context for each such state.
local function list_key(state, of_context)
  if state == 'TASK_STATE_WORKING' then return of_context and context_working_key or working_key end
  if state == 'TASK_STATE_INPUT_REQUIRED' then return of_context and context_input_required_key or input_required_key end
  if state == 'TASK_STATE_AUTH_REQUIRED' then return of_context and context_auth_required_key or auth_required_key end
end

-- Moves a task from the list of its old state, with entry 'from', to that of its new state, with entry 'to'.
local function relist(before, from, after, to, is_named)
  for at = 1, is_named and 2 or 1 do
    local left_key, joined_key = list_key(before, at == 2), list_key(after, at == 2)
    if left_key then redis.call('ZREM', left_key, from) end
    if joined_key then redis.call('ZADD', joined_key, 0, to) end
  end
end
