-- Stops a webhook: nothing more is sent until it is revived, and its cursor stays where it is.
-- KEYS  1 task
--       2 push
--       3 outbox
--       4 dead letters
--       5 their times
--       6 last attempts
-- ARGV  1 task id
--       2 config id
--       3 token of the caller
--       4 why and when
--       5 dead letter's name
--       6 dead letter
--       7 ms to add to the server's clock
--       8 line of the attempt, or ''
-- Returns 'LOST' | 'OK'
-- @include ../../task/lua/lib/now.lua
-- @include lib/cursor.lua
-- @include lib/bury.lua
local task, push, hook = KEYS[1], KEYS[2], ARGV[2]
if redis.call('EXISTS', task) == 0 then return 'LOST' end
note_attempt(KEYS[6], ARGV[8])
if not holds(push, hook, ARGV[3]) then return 'LOST' end

set(push, hook, 'dead', ARGV[4])
release(push, hook)
redis.call('ZREM', KEYS[3], ARGV[1] .. ' ' .. hook)
bury(KEYS[4], KEYS[5], now_ms() + ARGV[7], ARGV[5], ARGV[6])
return 'OK'
