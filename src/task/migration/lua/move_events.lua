-- Copies some of the events of a long log. Doing it again changes nothing.
-- KEYS  1 task
--       2 its events of schema 2
--       3 its history
-- ARGV  1 number of the first event to copy
--       2 most events
-- Returns {events that were copied, their bytes}
-- @include lib/move.lua
local first = redis.call('LINDEX', KEYS[3], 0) or ''
local moved, bytes = move_events(KEYS[1], KEYS[2], ARGV[1], ARGV[2], first, redis.call('HGET', KEYS[1], 'metadata') or '')
return { moved, bytes }
