-- Keeps the leases of a process' runs in one shard, and returns which of them must stop.
-- KEYS  1 due
--       2 … tasks
-- ARGV  1 lease, ms
--       2 grace of a cancel, ms
--       3 … for each task: its id, ' <fence> <nonce> ' as in the state word
-- Returns {'OK' | 'CANCEL' | 'LOST', …}
-- @include lib/now.lua
local now, verdicts = now_ms(), {}
keep_reserve(KEYS[2])
for n = 2, #KEYS do
  local at = 3 + (n - 2) * 2
  local f = redis.call('HMGET', KEYS[n], 's', 'k')
  if f[1] and string.find(f[1], ARGV[at + 1], 1, true) then
    local till = now + ARGV[1]
    redis.call('ZADD', KEYS[1], 'XX', f[2] and math.min(till, f[2] + ARGV[2]) or till, ARGV[at])
    verdicts[n - 1] = f[2] and 'CANCEL' or 'OK'
  else
    verdicts[n - 1] = 'LOST'
  end
end
return verdicts
