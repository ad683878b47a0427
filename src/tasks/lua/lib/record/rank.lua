-- The index of a tenant, one sorted set in each shard: task id → '<digit of its state>0<ms of its status>'. So the
-- tasks of a state are a range of scores, the youngest last, and a change of state is one write.
local DIGITS = { SUBMITTED = '1', WORKING = '2', INPUT_REQUIRED = '3', AUTH_REQUIRED = '4', COMPLETED = '5', FAILED = '6',
  CANCELED = '7', REJECTED = '8' }

-- 'word' begins with the state, and 'entry' with the ms.
local function rank_task(tenant_tasks_key, id, word, entry)
  redis.call('ZADD', tenant_tasks_key, DIGITS[string.match(word, '^TASK_STATE_(%S+)')] .. '0' .. string.sub(entry, 1, 13), id)
end
