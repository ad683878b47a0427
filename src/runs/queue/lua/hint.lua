-- Wakes idle workers for runs that have joined a fair queue: those that reported last, each once until it reports
-- again.
-- Input
--   idle_key   idle workers: process by the time until which it counts as idle
--   max_woken  most workers to wake
--   channels   prefix of the channel of a process, before its id
-- Output
--   how many were woken
local t = redis.call('TIME')
local now, woken = t[1] * 1000 + math.floor(t[2] / 1000), 0
while woken < tonumber(max_woken) do
  local last = redis.call('ZPOPMAX', idle_key)
  if not last[1] or tonumber(last[2]) < now then break end
  -- Without effect if the process is gone.
  if redis.call('PUBLISH', channels .. last[1], 'wake') > 0 then woken = woken + 1 end
end
return woken
