-- Keeps the place of a call that was let through, and whose account has asked for a pause.
-- Input
--   line_key  tickets that wait, by their starts
--   due_key   the same by the time after which nobody comes back for them
--   ticket    the call
--   start     its place, unless it has one
--   kept_ms   ms for which it is kept
--   ahead_ms  ms to add to the server's clock
-- Output
--   none
-- @include ../../../tasks/lua/lib/run/now.lua
redis.call('ZADD', line_key, 'NX', start, ticket)
redis.call('ZADD', due_key, now_ms() + ahead_ms + kept_ms, ticket)
redis.call('PEXPIRE', line_key, 86400000)
redis.call('PEXPIRE', due_key, 86400000)
