-- Writes a status of a task that no run holds. 's' is {state, event, ms, message, nonce, and 'shown': its turn
-- continues}. The scripts have the keys of the counts, of history and states of the task, and of the lists of its
-- owner. The turn did not yield this event of the service, so the start for counting its yields moves on.
-- @include relist.lua
-- @include rank.lua
local function put_status(t, s)
  if t.message ~= '' then append(history_key, ttl, t.message) end
  if s.state ~= t.state then append(states_key, ttl, s.state .. ' ' .. s.ms) end
  count_state(counts_key, t.skill, t.state, s.state)
  relist(t.state, t.ms .. ':' .. t.id, s.state, s.ms .. ':' .. t.id, t.named == '1')
  for _, key in ipairs({ open_key, t.named == '1' and open_of_context_key or nil }) do
    redis.call('ZREM', key, t.ms .. ':' .. t.id)
    redis.call('ZADD', key, 0, s.ms .. ':' .. t.id)
  end
  rank_task(tenant_tasks_key, t.id, s.state, s.ms)
  t.state, t.seq, t.last, t.ms, t.message = s.state, t.seq + 1, s.nonce, s.ms, s.message
  local turn, base = string.match(t.replay, '^(%d+) (%d+)$')
  if turn then redis.call('HSET', t.key, field.replay, turn .. ' ' .. (base + 1)) end
  if s.shown then redis.call('HSET', t.key, field.is_shown, '1') else redis.call('HDEL', t.key, field.is_shown) end
  redis.call('HSET', t.key, field.word, word_of(t), field.status, s.ms .. ' ' .. s.message, field.event .. t.seq, s.nonce .. ' ' .. s.event)
end
