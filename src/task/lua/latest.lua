-- The numbers of tasks' latest events, asked for the readers of silent streams: thousands of tasks every few seconds.
-- KEYS  1 … tasks of one shard
-- Returns a number for each; 0 for one that is gone
local latest = {}
for at, task in ipairs(KEYS) do latest[at] = tonumber(redis.call('HGET', task, 'seq') or 0) end
return latest
