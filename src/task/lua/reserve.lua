-- Reserves tokens of a language model before they are used: of the budget of a tree, and of that of its tenant. What was reserved and
-- never settled, because its run was lost, stays used: nobody knows whether the model was asked.
-- KEYS  1 limits of the tree and what it has used: 'budget' '<tokens> <micros of money> <calls>', 'tokens', 'micros', 'calls',
--         'r:<id>' '<tokens> <micros>' reserved
--       2 what the tenant has used in this shard: '<day> tokens', '<day> micros'
-- ARGV  1 id of the reservation
--       2 most tokens that are wanted
--       3 least tokens without which there is no use
--       4 micros of money for a token at most
--       5 most tokens, 6 micros and 7 calls of a tree that has used none
--       8 day
--       9 tokens and 10 micros that are left to the tenant, beside what this shard has used
--       11 TTL of the tree, 12 of the tenant's use, ms
-- Returns {'OK', tokens, tokens and micros that the tenant had used in this shard} | {'SPENT', 'tokens' | 'money' | 'calls', most of the tree} | {'SPENT', 'tenant-tokens' | 'tenant-money'}
local tree, tenant, id, price = KEYS[1], KEYS[2], 'r:' .. ARGV[1], tonumber(ARGV[4])
local of_tenant = redis.call('HMGET', tenant, ARGV[8] .. ' tokens', ARGV[8] .. ' micros')
local used_tokens, used_micros = of_tenant[1] or '0', of_tenant[2] or '0'
local earlier = redis.call('HGET', tree, id)
if earlier then return { 'OK', tonumber(string.match(earlier, '^%d+')), used_tokens, used_micros } end
local f = redis.call('HMGET', tree, 'budget', 'tokens', 'micros', 'calls')
local budget = f[1] or table.concat({ ARGV[5], ARGV[6], ARGV[7] }, ' ')
local tokens, micros, calls = string.match(budget, '^(%d+) (%d+) (%d+)$')
if tonumber(f[4] or 0) >= tonumber(calls) then return { 'SPENT', 'calls', calls } end
local function affordable(money) return price > 0 and math.floor(money / price) or math.huge end
local left = {
  { 'tokens', tokens - (f[2] or 0), tokens },
  { 'money', affordable(micros - (f[3] or 0)), micros },
  { 'tenant-tokens', ARGV[9] - used_tokens },
  { 'tenant-money', affordable(ARGV[10] - used_micros) },
}
local granted = tonumber(ARGV[2])
for _, limit in ipairs(left) do
  if limit[2] < tonumber(ARGV[3]) then return { 'SPENT', limit[1], limit[3] } end
  granted = math.min(granted, limit[2])
end
local cost = math.ceil(granted * price)
redis.call('HSET', tree, 'budget', budget, id, granted .. ' ' .. cost)
redis.call('HINCRBY', tree, 'tokens', granted)
redis.call('HINCRBY', tree, 'micros', cost)
redis.call('HINCRBY', tree, 'calls', 1)
redis.call('HINCRBY', tenant, ARGV[8] .. ' tokens', granted)
redis.call('HINCRBY', tenant, ARGV[8] .. ' micros', cost)
redis.call('PEXPIRE', tree, math.max(ARGV[11], redis.call('PTTL', tree)))
redis.call('PEXPIRE', tenant, ARGV[12])
return { 'OK', granted, used_tokens, used_micros }
