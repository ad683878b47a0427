-- Lists a task as ended; no other file does. The scripts have the keys of ended tasks by the time of their purge, of
-- the owner's lists and of tasks by state and time.
-- @include rank.lua
-- @include relist.lua

-- Removes a task from the lists of open ones, if its state has an entry there.
local function unlist_open(state, entry, is_named)
  redis.call('ZREM', open_key, entry)
  if is_named then redis.call('ZREM', open_of_context_key, entry) end
  relist(state, entry, nil, nil, is_named)
end

-- Lists it as ended. 'how' is {purge_at, named: the context was named, listed: tasks of this end have a list of their
-- own}.
local function list_ended(id, state, entry, how)
  redis.call('ZADD', over_key, how.purge_at, id)
  redis.call('ZADD', ended_key, 0, entry)
  if how.named then redis.call('ZADD', ended_of_context_key, 0, entry) end
  if how.listed then
    redis.call('ZADD', of_state_key, 0, entry)
    if how.named then redis.call('ZADD', of_state_in_context_key, 0, entry) end
  end
  rank_task(tenant_tasks_key, id, state, entry)
end
