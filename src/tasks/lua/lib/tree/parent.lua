-- Applies the end of a child to its parent, in the script that ends the child: so no wake-up is lost.
-- @include ../record/record.lua
-- @include ../queue/wake.lua
-- @include group.lua
-- @include notes.lua

-- Takes the next held child of a group, nearly always one of the first.
local function take_held(name)
  for _, last in ipairs({ 15, -1 }) do
    for _, one in ipairs(redis.call('LRANGE', held_key, 0, last)) do
      if string.sub(one, 1, #name + 1) == name .. ' ' then
        redis.call('LREM', held_key, 1, one)
        return string.sub(one, #name + 2)
      end
    end
  end
end

-- Records the end of a child, {key, id, member, tenant, state, nonce, note or ''}, releases the next held one, and
-- wakes the parent when its wait has ended; a running parent is notified. The scripts have the keys of the parent, its
-- children, held children and waiting notes. Returns the number of runs put into the fair queues, and the fence of a
-- parent that runs in the process of the child: the run that commits the end ('is_own') notifies it itself.
local function end_child(child, now)
  local name = string.match(redis.call('HGET', children_key, child.id) or '', '^(%S+) %-$')
  if not name then return 0 end
  redis.call('HSET', children_key, child.id, name .. ' ' .. child.state)
  if child.note ~= '' then note_child(child, now) end
  local g, runs = read_group(children_key, name), 0
  local id = string.match(parent_key, '[^:]+$')
  -- Every open task is in the set of due ones.
  local is_open, was_settled = redis.call('ZSCORE', due_key, id), g.settled
  g.open = g.open - 1
  if child.state == 'TASK_STATE_COMPLETED' then g.good = g.good + 1 else g.bad = g.bad + 1 end
  g.settled = was_settled or settles(g)
  -- A child that was held itself has no slot to pass on.
  if redis.call('LREM', held_key, 1, name .. ' ' .. child.member) == 0 then
    local member = is_open and not g.settled and take_held(name)
    if member then
      release_child(member, child.tenant, now + stuck_ms)
      runs = 1
    else
      g.running = g.running - 1
    end
  end
  put_group(children_key, name, g)
  if not is_open or was_settled or not g.settled then return runs end

  local parent = read_task(parent_key, id)
  redis.call('HINCRBY', parent_key, field.settled_groups, 1)
  if is_parked(parent) and string.find(' ' .. parent.signals .. ' ', ' & ', 1, true) then
    wake(parent, now, now)
    return runs + 1
  end
  if parent.nonce == '-' or parent.worker == '' then return runs end
  if child.is_own and redis.call('HGET', child.key, field.worker) == parent.worker then return runs, parent.fence end
  redis.call('PUBLISH', parent.worker, 'child ' .. id .. ' ' .. parent.fence)
  return runs
end
