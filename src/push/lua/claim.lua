-- Claims the cursor of a webhook: one caller delivers from it until it releases it or its lease ends.
-- KEYS  1 task
--       2 push
--       3 outbox
-- ARGV  1 task id
--       2 config id
--       3 token of the caller
--       4 lease, ms
--       5 most events
--       6 ms to add to the server's clock
--       7 most bytes of them
-- Returns {'GONE' | 'DEAD' | 'IDLE' | 'HELD' | 'EARLY'}
--       | {'WORK', record, {next, tries, since, refused}, body, {traceparent, tracestate, span of the last attempt},
--          {seq, nonce, event} …}
-- @include ../../task/lua/lib/now.lua
-- @include ../../task/lua/lib/hooked.lua
-- @include lib/cursor.lua
local task, push, hook, now = KEYS[1], KEYS[2], ARGV[2], now_ms() + ARGV[6]
local member = ARGV[1] .. ' ' .. hook
local t, config = read_hooked(task), get(push, hook, 'config')
local why = (not t or not config) and 'GONE' or get(push, hook, 'dead') and 'DEAD'
  or tonumber(get(push, hook, 'next')) > t.seq and 'IDLE'
if why then
  redis.call('ZREM', KEYS[3], member)
  return { why }
end
local after, till = tonumber(get(push, hook, 'after') or '0'), tonumber(get(push, hook, 'until') or '0')
if math.max(after, till) > now then
  redis.call('ZADD', KEYS[3], math.max(after, till), member)
  return { after > till and 'EARLY' or 'HELD' }
end
set(push, hook, 'lease', ARGV[3])
set(push, hook, 'until', now + ARGV[4])
redis.call('ZADD', KEYS[3], now + ARGV[4], member)
local next = tonumber(get(push, hook, 'next'))
local head = { next }
for n, name in ipairs({ 'tries', 'since', 'refused' }) do head[n + 1] = tonumber(get(push, hook, name) or '0') end
return { 'WORK', config, head, get(push, hook, 'body') or '', { t.trace, t.tracestate, get(push, hook, 'span') or '' },
  unpack(read_events(task, next, ARGV[5], ARGV[7])) }
