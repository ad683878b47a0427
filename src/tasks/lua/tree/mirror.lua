-- Records or removes the task of another agent that a task mirrors. A marked task is treated like one with children:
-- when it is canceled, the cancel is passed on to the other agent.
-- Input
--   task_key
--   id           task id
--   mark         mark, '' for none
--   open_states
-- Output
--   'OK' | 'ENDED' the task has ended, or is missing
-- @include ../lib/record/record.lua
local t = read_task(task_key, id)
if not t or not is_one_of(t.state, open_states) then return 'ENDED' end
if mark == '' then
  redis.call('HDEL', task_key, field.mirrored)
  return 'OK'
end
keep_reserve(task_key)
redis.call('HSET', task_key, field.mirrored, mark, field.has_children, '1')
return 'OK'
