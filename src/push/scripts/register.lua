-- Stores a webhook of a task. A new one hears of what comes; when the task is finished or waits, it hears of that too,
-- since otherwise a webhook registered a moment too late would never hear anything. One of the same id is replaced
-- and goes on where it was.
-- KEYS  1 task  2 push
-- ARGV  1 owner  2 config id  3 record  4 most webhooks of a task  5 states that are told at once
-- Returns 'NOT_FOUND' | 'FULL' | 'OK'
-- @include ../../task/lua/lib/now.lua
-- @include ../../task/lua/lib/wake_hooks.lua
-- @include lib/cursor.lua
local task, push, hook = KEYS[1], KEYS[2], ARGV[2]
local f = redis.call('HMGET', task, 'state', 'owner', 'seq', 'hooks')
if not f[1] or f[2] ~= ARGV[1] then return 'NOT_FOUND' end

local hooks, known = f[4] or '', get(push, hook, 'config')
local _, count = string.gsub(hooks, '%S+', '')
if not known and count >= tonumber(ARGV[4]) then return 'FULL' end

set(push, hook, 'config', ARGV[3])
if known then
  forget(push, hook, 'dead', 'tries', 'since', 'after', 'body')
else
  redis.call('HSET', task, 'hooks', hooks == '' and hook or hooks .. ' ' .. hook)
  set(push, hook, 'next', f[3] + (string.find(ARGV[5], ' ' .. f[1] .. ' ', 1, true) and 0 or 1))
end
local ttl = redis.call('PTTL', task)
if ttl > 0 then redis.call('PEXPIRE', push, ttl) end
if tonumber(get(push, hook, 'next')) <= tonumber(f[3]) then wake_hooks(task, hook) end
return 'OK'
