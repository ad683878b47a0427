-- Claims the cursor of a webhook: one caller delivers from it until it releases it or its lease ends.
-- Input
--   task_key
--   push_key
--   outbox_key
--   id          task id
--   hook        config id
--   token       token of the caller
--   lease_ms    lease, ms
--   max_events  most events
--   ahead_ms    ms to add to the server's clock
--   max_bytes   most bytes of them
-- Output
--   {'GONE' | 'DEAD' | 'IDLE' | 'HELD' | 'EARLY'}
--   | {'WORK', record, {next, tries, since, refused}, body, {traceparent, tracestate, names of the call,
--   span of the last attempt},
--   {seq, nonce, event, bytes where it is large: nonce and event are '' then} …}
-- @include ../../tasks/lua/lib/run/now.lua
-- @include ../../tasks/lua/lib/hooks/hooked.lua
-- @include lib/cursor.lua
local now = now_ms() + ahead_ms
local member = id .. ' ' .. hook
local t = read_hooked(task_key)
local config, dead, next, after, till, tries, since, refused, body, span =
  get_all(push_key, hook, 'config', 'dead', 'next', 'after', 'until', 'tries', 'since', 'refused', 'body', 'span')
local why = (not t or not config) and 'GONE' or dead and 'DEAD' or tonumber(next) > t.seq and 'IDLE'
if why then
  redis.call('ZREM', outbox_key, member)
  return { why }
end
after, till = tonumber(after or '0'), tonumber(till or '0')
if math.max(after, till) > now then
  redis.call('ZADD', outbox_key, math.max(after, till), member)
  return { after > till and 'EARLY' or 'HELD' }
end
redis.call('HSET', push_key, 'lease:' .. hook, token, 'until:' .. hook, now + lease_ms)
redis.call('ZADD', outbox_key, now + lease_ms, member)
local head = { tonumber(next), tonumber(tries or '0'), tonumber(since or '0'), tonumber(refused or '0') }
return { 'WORK', config, head, body or '', { t.of_call[1], t.of_call[2], t.of_call[3], span or '' },
  unpack(read_events(task_key, t.seq, next, max_events, max_bytes)) }
