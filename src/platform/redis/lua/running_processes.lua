-- Lists the running processes, and those that recently left or stopped reporting, to find the host behind a worker's
-- id.
-- Input
--   presence_key
--   process       the process, or '' to read only
--   hold_ms       ms until it must report again; 0 when it leaves
--   known_ms      ms for which a process is known after that
--   max_known     most processes that are known
--   which         'known' for all of them, else ''
-- Output
--   the processes that run, or all that are known
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
if process ~= '' then
  redis.call('ZADD', presence_key, now + hold_ms, process)
  redis.call('ZREMRANGEBYSCORE', presence_key, '-inf', now - known_ms)
  redis.call('ZREMRANGEBYRANK', presence_key, 0, -1 - max_known)
  redis.call('PEXPIRE', presence_key, hold_ms + known_ms)
end
local from = which == 'known' and '-inf' or '(' .. string.format('%.0f', now)
return redis.call('ZRANGEBYSCORE', presence_key, from, '+inf')
