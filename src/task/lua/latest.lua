-- The latest events of tasks, asked for the readers of silent streams: thousands of tasks every few seconds.
-- KEYS  1 … tasks of one shard
-- ARGV  1 ms for which readers want to hear of events
-- Returns for each the word, or '' for one that is gone
-- @include lib/now.lua
local till, words = now_ms() + ARGV[1], {}
for at, task in ipairs(KEYS) do
  local f = redis.call('HMGET', task, 's', 'p')
  if f[2] then redis.call('HSET', task, 'p', till) end
  words[at] = f[1] or ''
end
return words
