-- The tasks of a tenant by state: how many there are, and which have come into their state lately.
-- KEYS  1 … sets of the tenant's tasks, one for each shard (lib/rank.lua)
-- ARGV  1 least time of the status, ms, 13 digits
--       2 most tasks of one state in one shard, the youngest
-- Returns {tasks in the first state, … in the eighth, id, score, …}
local reply = { 0, 0, 0, 0, 0, 0, 0, 0 }
for _, tasks in ipairs(KEYS) do
  if redis.call('EXISTS', tasks) == 1 then
    for digit = 1, 8 do
      local most = digit .. '09999999999999'
      local count = redis.call('ZCOUNT', tasks, digit .. '00000000000000', most)
      reply[digit] = reply[digit] + count
      if count > 0 then
        local some = redis.call('ZREVRANGEBYSCORE', tasks, most, digit .. '0' .. ARGV[1], 'WITHSCORES', 'LIMIT', '0', ARGV[2])
        for _, one in ipairs(some) do reply[#reply + 1] = one end
      end
    end
  end
end
return reply
