-- Stores a webhook of a task. A new one hears of what comes; when the task is finished or waits, it hears of that too,
-- since otherwise a webhook registered a moment too late would never hear anything. One of the same id is replaced
-- and goes on where it was.
-- KEYS  1 task  2 push
-- ARGV  1 owner  2 config id  3 record  4 most webhooks of a task  5 states that are told at once
-- Returns 'NOT_FOUND' | 'FULL' | 'OK'
-- @include ../../task/lua/lib/now.lua
-- @include ../../task/lua/lib/wake_hooks.lua
-- @include ../../task/lua/lib/hooked.lua
-- @include ../../task/lua/lib/put_hook.lua
local task, hook = KEYS[1], ARGV[2]
local t = read_hooked(task)
if not t or t.owner ~= ARGV[1] then return 'NOT_FOUND' end
if not has_room(t.hooks, hook, ARGV[4]) then return 'FULL' end

local is_told = string.find(ARGV[5], ' ' .. t.state .. ' ', 1, true)
put_hooks(task, put_hook(task, t.hooks, hook, ARGV[3], t.seq + (is_told and 0 or 1), t.seq))
local ttl = redis.call('PTTL', task)
if ttl > 0 then redis.call('PEXPIRE', KEYS[2], ttl) end
return 'OK'
