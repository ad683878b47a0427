-- The four places where ListTasks finds a task: all of its owner, by context, by state, by both. Members are
-- '<ms>:<id>' with equal scores, so that a page is a range by name and a cursor is a name.
local function places(index, owner, context, state)
  local base = index .. ':' .. owner
  return { base, base .. ':c:' .. context, base .. ':s:' .. state, base .. ':b:' .. state .. ':' .. context }
end

local function unindex(index, id, owner, context, state, ms)
  for _, key in ipairs(places(index, owner, context, state)) do redis.call('ZREM', key, ms .. ':' .. id) end
end

local function reindex(index, id, owner, context, state, ms)
  for _, key in ipairs(places(index, owner, context, state)) do redis.call('ZADD', key, 0, ms .. ':' .. id) end
end

-- How many tasks of a skill are in a state: '<skill> <state>' in one small hash of the shard, without a TTL.
local function count(index, skill, state, by)
  local field = (skill or '') .. ' ' .. state
  if redis.call('HINCRBY', index .. '-counts', field, by) <= 0 then redis.call('HDEL', index .. '-counts', field) end
end
