-- The latest events of tasks, for the readers of silent streams: thousands of tasks every few seconds.
-- Input
--   tasks …   tasks of one shard
--   watch_ms  ms for which readers are registered for events
-- Output
--   for each the word, or '' for a deleted one
-- @include ../lib/run/now.lua
local till, words = now_ms() + watch_ms, {}
for at = tasks_from, tasks_to do
  local task_key = KEYS[at]
  local f = redis.call('HMGET', task_key, field.word, field.watched)
  if f[2] then redis.call('HSET', task_key, field.watched, till) end
  words[#words + 1] = f[1] or ''
end
return words
