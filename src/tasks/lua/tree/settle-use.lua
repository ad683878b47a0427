-- Replaces a reservation by the actual use, and adds that to the use shown by the task and the root of its tree:
-- '<calls> <tokens of prompts> <tokens of answers> <micros of money>'.
-- Input
--   tree_key
--   spent_key      as reserve.lua
--   task_key
--   root_key       root of its tree
--   id             id of the reservation
--   tokens         tokens used
--   micros         their cost in micros of money
--   day            day of the reservation
--   input_tokens   tokens of the prompt
--   output_tokens  of the answer
-- Output
--   1 | 0 it is settled already
local reserved = redis.call('HGET', tree_key, 'r:' .. id)
if not reserved then return 0 end
local reserved_tokens, reserved_micros = string.match(reserved, '^(%d+) (%d+)$')
redis.call('HDEL', tree_key, 'r:' .. id)
redis.call('HINCRBY', tree_key, 'tokens', tokens - reserved_tokens)
redis.call('HINCRBY', tree_key, 'micros', micros - reserved_micros)
redis.call('HINCRBY', spent_key, day .. ' tokens', tokens - reserved_tokens)
redis.call('HINCRBY', spent_key, day .. ' micros', micros - reserved_micros)
-- A call without any token was not one of a language model, or was never made.
local is_used = input_tokens + output_tokens > 0
local function add_use(key)
  if redis.call('EXISTS', key) == 0 then return end
  local before = redis.call('HGET', key, field.model_use) or '0 0 0 0'
  local calls, input, output, money = string.match(before, '^(%d+) (%d+) (%d+) (%d+)$')
  local used = { calls + 1, input + input_tokens, output + output_tokens, money + micros }
  redis.call('HSET', key, field.model_use, string.format('%d %d %d %d', unpack(used)))
end
if is_used then
  add_use(task_key)
  if root_key ~= task_key then add_use(root_key) end
else
  redis.call('HINCRBY', tree_key, 'calls', -1)
end
return 1
