-- The next runs in the given fair queues: those with the lowest positions. Removes none.
-- Input
--   queues …          fair queues of skills without a limit
--   limited_queues …  of skills with one
--   max_runs          of each queue
--   skills            ' <skill> <skill> ', limited skills whose runs may begin; '' none, '*' all
--   max_limited       runs searched in each queue of skills with a limit
-- Output
--   {member, position, …} in no order; a member is '<task id>', and '<task id> <skill>' for a skill with a limit
local heads = {}

-- The lowest positions of a queue, with a bounded number of suspects (lib/queue/fair_queue.lua), so that other runs are
-- included.
local MAX_SUSPECTS = 16
local function lowest(queue_key, most)
  local some = redis.call('ZRANGE', queue_key, 0, most - 1, 'WITHSCORES')
  if not some[2] or tonumber(some[2]) >= -1 then return some end
  some = redis.call('ZRANGEBYSCORE', queue_key, '-inf', '(-1', 'WITHSCORES', 'LIMIT', 0, MAX_SUSPECTS)
  for _, one in ipairs(redis.call('ZRANGEBYSCORE', queue_key, -1, '+inf', 'WITHSCORES', 'LIMIT', 0, most)) do some[#some + 1] = one end
  return some
end

for n = queues_from, queues_to do
  for _, one in ipairs(lowest(KEYS[n], tonumber(max_runs))) do heads[#heads + 1] = one end
end
if skills == '' then return heads end
for n = limited_queues_from, limited_queues_to do
  local some, found = lowest(KEYS[n], tonumber(max_limited)), 0
  for at = 1, #some, 2 do
    local skill = string.match(some[at], '(%S+)$')
    if found < tonumber(max_runs) and (skills == '*' or string.find(skills, ' ' .. skill .. ' ', 1, true)) then
      heads[#heads + 1], heads[#heads + 2], found = some[at], some[at + 1], found + 1
    end
  end
end
return heads
