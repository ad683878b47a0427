-- Stores a webhook of a task. A new one gets all later events, and also the last event if the task has ended or waits
-- for an answer: a webhook registered slightly late would otherwise get nothing. A webhook with the same id is replaced
-- and keeps its cursor.
-- Input
--   task_key        task
--   push_key        push
--   outbox_key      outbox
--   bytes_key       stored bytes
--   owner           owner
--   hook            config id
--   record
--   max_hooks       most webhooks of a task
--   settled_states  states in which the last event is sent at once
--   id              task id
--   hints           channel of the dispatchers
--   shard
-- Output
--   'NOT_FOUND' | 'FULL' | 'OK'
-- @include ../../tasks/lua/lib/run/now.lua
-- @include ../../tasks/lua/lib/hooks/outbox.lua
-- @include ../../tasks/lua/lib/hooks/hooked.lua
-- @include ../../tasks/lua/lib/hooks/put_hook.lua
local t = read_hooked(task_key)
if not t or t.owner ~= owner then return 'NOT_FOUND' end
if not has_room(t.hooks, hook, max_hooks) then return 'FULL' end

local sends_current = string.find(settled_states, ' ' .. t.state .. ' ', 1, true)
local of = { task_key = task_key, push_key = push_key, outbox_key = outbox_key, bytes_key = bytes_key, id = id, hooks = t.hooks,
  seq = t.seq, hints = hints, shard = shard }
put_hooks(task_key, put_hook(of, hook, record, t.seq + (sends_current and 0 or 1)))
local ttl = redis.call('PTTL', task_key)
if ttl > 0 then redis.call('PEXPIRE', push_key, ttl) end
return 'OK'
