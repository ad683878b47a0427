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
--          {seq, nonce, event, bytes where it is too large to come along} …}
-- @include ../../task/lua/lib/now.lua
-- @include ../../task/lua/lib/hooked.lua
-- @include lib/cursor.lua
local task, push, hook, now = KEYS[1], KEYS[2], ARGV[2], now_ms() + ARGV[6]
local member = ARGV[1] .. ' ' .. hook
local t = read_hooked(task)
local config, dead, next, after, till, tries, since, refused, body, span =
  get_all(push, hook, 'config', 'dead', 'next', 'after', 'until', 'tries', 'since', 'refused', 'body', 'span')
local why = (not t or not config) and 'GONE' or dead and 'DEAD' or tonumber(next) > t.seq and 'IDLE'
if why then
  redis.call('ZREM', KEYS[3], member)
  return { why }
end
after, till = tonumber(after or '0'), tonumber(till or '0')
if math.max(after, till) > now then
  redis.call('ZADD', KEYS[3], math.max(after, till), member)
  return { after > till and 'EARLY' or 'HELD' }
end
redis.call('HSET', push, 'lease:' .. hook, ARGV[3], 'until:' .. hook, now + ARGV[4])
redis.call('ZADD', KEYS[3], now + ARGV[4], member)
local head = { tonumber(next), tonumber(tries or '0'), tonumber(since or '0'), tonumber(refused or '0') }
return { 'WORK', config, head, body or '', { t.trace, t.tracestate, span or '' },
  unpack(read_events(task, t.seq, next, ARGV[5], ARGV[7])) }
