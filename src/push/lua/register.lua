-- Stores a webhook of a task. A new one gets all later events; if the task has ended or waits for an answer, it gets the
-- last event too, since otherwise a webhook registered slightly late would get nothing. A webhook with the same id is
-- replaced and keeps its cursor.
-- KEYS  1 task
--       2 push
--       3 outbox
-- ARGV  1 owner
--       2 config id
--       3 record
--       4 most webhooks of a task
--       5 states in which the last event is sent at once
--       6 task id
--       7 channel of the dispatchers
--       8 shard
-- Returns 'NOT_FOUND' | 'FULL' | 'OK'
-- @include ../../task/lua/lib/now.lua
-- @include ../../task/lua/lib/outbox.lua
-- @include ../../task/lua/lib/hooked.lua
-- @include ../../task/lua/lib/put_hook.lua
local task, hook = KEYS[1], ARGV[2]
local t = read_hooked(task)
if not t or t.owner ~= ARGV[1] then return 'NOT_FOUND' end
if not has_room(t.hooks, hook, ARGV[4]) then return 'FULL' end

local sends_current = string.find(ARGV[5], ' ' .. t.state .. ' ', 1, true)
local of = { push = KEYS[2], outbox = KEYS[3], id = ARGV[6], hooks = t.hooks, seq = t.seq, hints = ARGV[7], shard = ARGV[8] }
put_hooks(task, put_hook(of, hook, ARGV[3], t.seq + (sends_current and 0 or 1)))
local ttl = redis.call('PTTL', task)
if ttl > 0 then redis.call('PEXPIRE', KEYS[2], ttl) end
return 'OK'
