-- Reserves tokens of a language model before they are used: of the budget of a tree, and of that of its tenant. A
-- reservation that was never settled, because its run was lost, stays used: whether the model was called is unknown.
-- Input
--   tree_key       limits and use of the tree: 'budget' '<tokens> <micros of money> <calls>', 'tokens', 'micros',
--                  'calls', 'r:<id>' '<tokens> <micros>' reserved
--   spent_key      use of the tenant in this shard: '<day> tokens', '<day> micros'
--   id             id of the reservation
--   wanted         most tokens requested
--   least          least tokens, below which a call is useless
--   price          most micros of money per token
--   max_tokens     most tokens of a tree without earlier use
--   max_micros     most micros of money, likewise
--   max_calls      most calls, likewise
--   day
--   tenant_tokens  tokens left to the tenant on that day, without the use of this shard
--   tenant_micros  micros left to it, likewise
--   tree_ttl       TTL of the tree's budget, ms
--   spent_ttl      TTL of the tenant's use, ms
-- Output
--   {'OK', tokens, tokens and micros that the tenant had used in this shard} | {'SPENT', 'tokens' | 'money' | 'calls', most of the tree} | {'SPENT', 'tenant-tokens' | 'tenant-money'}
local reservation, price = 'r:' .. id, tonumber(price)
local of_tenant = redis.call('HMGET', spent_key, day .. ' tokens', day .. ' micros')
local used_tokens, used_micros = of_tenant[1] or '0', of_tenant[2] or '0'
local earlier = redis.call('HGET', tree_key, reservation)
if earlier then return { 'OK', tonumber(string.match(earlier, '^%d+')), used_tokens, used_micros } end
local f = redis.call('HMGET', tree_key, 'budget', 'tokens', 'micros', 'calls')
local budget = f[1] or table.concat({ max_tokens, max_micros, max_calls }, ' ')
local tokens, micros, calls = string.match(budget, '^(%d+) (%d+) (%d+)$')
if tonumber(f[4] or 0) >= tonumber(calls) then return { 'SPENT', 'calls', calls } end
local function affordable(money) return price > 0 and math.floor(money / price) or math.huge end
local left = {
  { 'tokens', tokens - (f[2] or 0), tokens },
  { 'money', affordable(micros - (f[3] or 0)), micros },
  { 'tenant-tokens', tenant_tokens - used_tokens },
  { 'tenant-money', affordable(tenant_micros - used_micros) },
}
local granted = tonumber(wanted)
for _, limit in ipairs(left) do
  if limit[2] < tonumber(least) then return { 'SPENT', limit[1], limit[3] } end
  granted = math.min(granted, limit[2])
end
local cost = math.ceil(granted * price)
redis.call('HSET', tree_key, 'budget', budget, reservation, granted .. ' ' .. cost)
redis.call('HINCRBY', tree_key, 'tokens', granted)
redis.call('HINCRBY', tree_key, 'micros', cost)
redis.call('HINCRBY', tree_key, 'calls', 1)
redis.call('HINCRBY', spent_key, day .. ' tokens', granted)
redis.call('HINCRBY', spent_key, day .. ' micros', cost)
redis.call('PEXPIRE', tree_key, math.max(tree_ttl, redis.call('PTTL', tree_key)))
redis.call('PEXPIRE', spent_key, spent_ttl)
return { 'OK', granted, used_tokens, used_micros }
