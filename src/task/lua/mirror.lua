-- Notes on a task which task of another agent it mirrors, or that it mirrors none any more. A marked task is treated as one
-- with children: when it is canceled, the cancel goes on to the other agent.
-- KEYS  1 task
-- ARGV  1 task id
--       2 mark, '' for none
--       3 open states
-- Returns 'OK' | 'ENDED' the task has ended, or there is none
-- @include lib/record.lua
local t = read_task(KEYS[1], ARGV[1])
if not t or not is_one_of(t.state, ARGV[3]) then return 'ENDED' end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], 'rm')
  return 'OK'
end
keep_reserve(KEYS[1])
redis.call('HSET', KEYS[1], 'rm', ARGV[2], 'ch', '1')
return 'OK'
