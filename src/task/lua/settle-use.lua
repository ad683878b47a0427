-- Replaces a reservation by what was used, and adds that to what the task and the root of its tree show: 'mu' '<calls> <tokens of
-- prompts> <tokens of answers> <micros of money>'.
-- KEYS  1, 2 as reserve.lua
--       3 task
--       4 root of its tree
-- ARGV  1 id of the reservation
--       2 tokens that were used
--       3 micros of money that they cost
--       4 day of the reservation
--       5 tokens of the prompt, 6 of the answer
-- Returns 1 | 0 it is settled already
local reserved = redis.call('HGET', KEYS[1], 'r:' .. ARGV[1])
if not reserved then return 0 end
local tokens, micros = string.match(reserved, '^(%d+) (%d+)$')
redis.call('HDEL', KEYS[1], 'r:' .. ARGV[1])
redis.call('HINCRBY', KEYS[1], 'tokens', ARGV[2] - tokens)
redis.call('HINCRBY', KEYS[1], 'micros', ARGV[3] - micros)
redis.call('HINCRBY', KEYS[2], ARGV[4] .. ' tokens', ARGV[2] - tokens)
redis.call('HINCRBY', KEYS[2], ARGV[4] .. ' micros', ARGV[3] - micros)
-- A call without any token was not one of a language model, or was never made.
local is_used = ARGV[5] + ARGV[6] > 0
for n = 3, is_used and (KEYS[3] == KEYS[4] and 3 or 4) or 0 do
  if redis.call('EXISTS', KEYS[n]) == 1 then
    local before = redis.call('HGET', KEYS[n], 'mu') or '0 0 0 0'
    local calls, input, output, money = string.match(before, '^(%d+) (%d+) (%d+) (%d+)$')
    local now = { calls + 1, input + ARGV[5], output + ARGV[6], money + ARGV[3] }
    redis.call('HSET', KEYS[n], 'mu', string.format('%d %d %d %d', unpack(now)))
  end
end
return 1
