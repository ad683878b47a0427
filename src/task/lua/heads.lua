-- The runs that are next in the fair queues it is given: those with the lowest positions. Nothing is taken.
-- KEYS  1 … fair queues of skills without a limit, then as many of skills with one
-- ARGV  1 most runs of each queue
--       2 ' <skill> <skill> ' whose runs may begin, of those with a limit; '' none, '*' all
--       3 most runs to look through in each queue of skills with a limit
-- Returns {member, position, …} in no order; a member is '<task id>', and '<task id> <skill>' for a skill with a limit
local heads, half = {}, #KEYS / 2

-- The lowest of a queue, and of suspects (lib/fair_queue.lua) so many at most that runs of others are among them.
local MAX_SUSPECTS = 16
local function lowest(queue, most)
  local some = redis.call('ZRANGE', queue, 0, most - 1, 'WITHSCORES')
  if not some[2] or tonumber(some[2]) >= -1 then return some end
  some = redis.call('ZRANGEBYSCORE', queue, '-inf', '(-1', 'WITHSCORES', 'LIMIT', 0, MAX_SUSPECTS)
  for _, one in ipairs(redis.call('ZRANGEBYSCORE', queue, -1, '+inf', 'WITHSCORES', 'LIMIT', 0, most)) do some[#some + 1] = one end
  return some
end

for n = 1, half do
  for _, one in ipairs(lowest(KEYS[n], tonumber(ARGV[1]))) do heads[#heads + 1] = one end
end
if ARGV[2] == '' then return heads end
for n = half + 1, #KEYS do
  local some, found = lowest(KEYS[n], tonumber(ARGV[3])), 0
  for at = 1, #some, 2 do
    local skill = string.match(some[at], '(%S+)$')
    if found < tonumber(ARGV[1]) and (ARGV[2] == '*' or string.find(ARGV[2], ' ' .. skill .. ' ', 1, true)) then
      heads[#heads + 1], heads[#heads + 2], found = some[at], some[at + 1], found + 1
    end
  end
end
return heads
