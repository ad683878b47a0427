-- The tasks of a tenant by state: their number, and the latest changes.
-- Input
--   tenant_tasks …  sets of the tenant's tasks, one for each shard (lib/record/rank.lua)
--   since           minimum time of the status, ms, 13 digits
--   max_tasks       most tasks of one state in one shard, the youngest
-- Output
--   {tasks in the first state, … in the eighth, id, score, …}
local reply = { 0, 0, 0, 0, 0, 0, 0, 0 }
for at = tenant_tasks_from, tenant_tasks_to do
  local tasks_key = KEYS[at]
  if redis.call('EXISTS', tasks_key) == 1 then
    for digit = 1, 8 do
      local most = digit .. '09999999999999'
      local count = redis.call('ZCOUNT', tasks_key, digit .. '00000000000000', most)
      reply[digit] = reply[digit] + count
      if count > 0 then
        local some = redis.call('ZREVRANGEBYSCORE', tasks_key, most, digit .. '0' .. since, 'WITHSCORES', 'LIMIT', '0', max_tasks)
        for _, one in ipairs(some) do reply[#reply + 1] = one end
      end
    end
  end
end
return reply
