-- The fan-outs of a task: each is a group of children that one wait of its run awaits. A group is a field 'g:<name>' of
-- the task's hash of children: '<open children> <succeeded> <failed> <successes that settle it, or 0> <failures that
-- settle it, or 0> <maximum concurrent children, or 0> <running children> <1 when it is settled>'. A child is a field
-- '<id>': '<group> <state of its end, or ->'; 'd:<id>' 1 marks it as detached. '#' counts the children.
local function read_group(children_key, name)
  local open, good, bad, need, most, limit, running, settled = string.match(redis.call('HGET', children_key, 'g:' .. name),
    '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  return { open = tonumber(open), good = tonumber(good), bad = tonumber(bad), need = tonumber(need), most = tonumber(most),
    limit = tonumber(limit), running = tonumber(running), settled = settled == '1' }
end

local function put_group(children_key, name, g)
  redis.call('HSET', children_key, 'g:' .. name, table.concat({ g.open, g.good, g.bad, g.need, g.most, g.limit, g.running,
    g.settled and 1 or 0 }, ' '))
end

-- Whether the parent need not wait any longer.
local function settles(g)
  return g.open == 0 or g.need > 0 and g.good >= g.need or g.most > 0 and g.bad >= g.most
end

-- Children of a tree are a flow of their own in the fair queue, besides new tasks of their tenant.
local function release_child(member, tenant, due)
  local id, skill = string.match(member, '^(%S+) ?(%S*)$')
  redis.call('ZADD', due_key, due, id)
  return join_queue(skill == '' and queue_key or limited_queue_key, turns_key, member, 'tree:' .. tenant, elsewhere)
end
