-- Says in the status of a parked root which questions of its tree are open, or that none is any longer.
-- KEYS  1 task
--       2 counts
--       3 history
--       4 states
--       5 outbox
--       6 owner's open tasks
--       7 owner's open tasks of the context
--       8 roots whose questions are to be shown
--       9 stored bytes
--       10 … owner's open tasks by state, and those of the context (lib/relist.lua)
--       last: tenant's tasks
-- ARGV  1 task id
--       2 word that must be there
--       3 state
--       4 event
--       5 ms of the status
--       6 status message or ''
--       7 nonce
--       8 TTL of the task, ms
--       9 channel of the dispatchers
--       10 shard
--       11 account of the tenant, 12 account of the client; '' for none
--       13 '1' when the state is that of questions
-- Returns {'OK', seq} | {'MOVED'} the task has changed since it was read | {'EARLIER', ms} as cancel.lua
-- @include lib/record.lua
-- @include lib/publish.lua
-- @include lib/status.lua
local t, now = read_task(KEYS[1], ARGV[1]), now_ms()
if not t or t.word ~= ARGV[2] then return { 'MOVED' } end
if ARGV[5] < t.ms then return { 'EARLIER', t.ms } end
local bytes = #ARGV[4] + #ARGV[6]
redis.call('HINCRBY', t.key, 'z', bytes)
if ARGV[11] ~= '' then
  redis.call('HINCRBY', KEYS[9], ARGV[11], bytes)
  redis.call('HINCRBY', KEYS[9], ARGV[12], bytes)
end
put_status(t, { state = ARGV[3], event = ARGV[4], ms = ARGV[5], message = ARGV[6], nonce = ARGV[7], ttl = ARGV[8],
  shown = ARGV[13] == '1' }, { counts = KEYS[2], history = KEYS[3], states = KEYS[4], open = KEYS[6], open_of_context = KEYS[7] })
redis.call('ZREM', KEYS[8], t.id)
publish_events(t, now, KEYS[5], ARGV[9], ARGV[10], function() return t.id .. ' ' .. t.seq .. ' ' .. ARGV[7] .. ' ' .. ARGV[4] end)
return { 'OK', t.seq }
