-- The four places where ListTasks finds a task: all of its owner, by context, by state, by both. Members are
-- '<ms>:<id>' with equal scores, so that a page is a range by name and a cursor is a name.
local function places(t, state)
  local base = t.shard .. ':index:' .. t.owner
  return { base, base .. ':c:' .. t.context, base .. ':s:' .. state, base .. ':b:' .. state .. ':' .. t.context }
end

local function unindex(t, state, ms)
  for _, key in ipairs(places(t, state)) do redis.call('ZREM', key, ms .. ':' .. t.id) end
end

-- How many tasks of a skill are in a state: '<skill> <state>' in one small hash of the shard, without a TTL.
local function count(t, state, by)
  local counts, field = t.shard .. ':index-counts', t.skill .. ' ' .. state
  if redis.call('HINCRBY', counts, field, by) <= 0 then redis.call('HDEL', counts, field) end
end

-- Brings a task from the places where it was found before to those where it belongs now.
local function move(t)
  local before = t.before
  if t.state == before.state and t.ms == before.ms then return end
  if before.state then unindex(t, before.state, before.ms) end
  for _, key in ipairs(places(t, t.state)) do redis.call('ZADD', key, 0, t.ms .. ':' .. t.id) end
  if t.state == before.state then return end
  if before.state then count(t, before.state, -1) end
  count(t, t.state, 1)
end
