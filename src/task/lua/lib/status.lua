-- Writes a status of a task that no run holds. 's' is {state, event, ms, message, nonce, ttl, and 'shown': its turn goes on},
-- 'keys' {counts, history, states, open, open_of_context}; the lists by state and the index are the last of KEYS (relist.lua). An
-- event of the service is none that the turn has yielded, so the number from which these are counted moves on.
-- @include relist.lua
-- @include rank.lua
local function put_status(t, s, keys)
  if t.message ~= '' then append(keys.history, s.ttl, t.message) end
  if s.state ~= t.state then append(keys.states, s.ttl, s.state .. ' ' .. s.ms) end
  count_state(keys.counts, t.skill, t.state, s.state)
  relist(t.state, t.ms .. ':' .. t.id, s.state, s.ms .. ':' .. t.id, t.named == '1')
  for _, key in ipairs({ keys.open, t.named == '1' and keys.open_of_context or nil }) do
    redis.call('ZREM', key, t.ms .. ':' .. t.id)
    redis.call('ZADD', key, 0, s.ms .. ':' .. t.id)
  end
  rank_task(KEYS[#KEYS], t.id, s.state, s.ms)
  t.state, t.seq, t.last, t.ms, t.message = s.state, t.seq + 1, s.nonce, s.ms, s.message
  local turn, base = string.match(t.f, '^(%d+) (%d+)$')
  if turn then redis.call('HSET', t.key, 'f', turn .. ' ' .. (base + 1)) end
  if s.shown then redis.call('HSET', t.key, 'sh', '1') else redis.call('HDEL', t.key, 'sh') end
  redis.call('HSET', t.key, 's', word_of(t), 't', s.ms .. ' ' .. s.message, 'e' .. t.seq, s.nonce .. ' ' .. s.event)
end
