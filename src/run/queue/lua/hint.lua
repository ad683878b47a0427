-- Wakes idle workers for runs that have joined a fair queue: those that reported last, each once until it reports again.
-- KEYS  1 idle workers: process by the time until which it counts as idle
-- ARGV  1 most workers to wake
--       2 prefix of the channel of a process, before its id
--       3 the message: 'wake', and the channel of a process that could use slots of theirs
-- Returns how many were woken
local t = redis.call('TIME')
local now, woken = t[1] * 1000 + math.floor(t[2] / 1000), 0
while woken < tonumber(ARGV[1]) do
  local last = redis.call('ZPOPMAX', KEYS[1])
  if not last[1] or tonumber(last[2]) < now then break end
  -- Without effect if the process is gone.
  if redis.call('PUBLISH', ARGV[2] .. last[1], ARGV[3]) > 0 then woken = woken + 1 end
end
return woken
