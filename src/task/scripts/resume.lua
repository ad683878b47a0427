-- Gives a task the next message of its owner: it begins the next turn when the task waits for one, and stands in line
-- when a turn is running. The same message counts once between two waits of the task.
-- KEYS  1 task  2 due  3 index
-- ARGV  1 task id  2 owner  3 context id, or ''  4 message id  5 hash of the request  6 message  7 nonce
--       8 open states  9 interrupted states  10 state WORKING  11 WORKING event's tail  12 timestamp  13 the same in ms
--       14 ms until the sweep looks whether a job was added  15 place of the call in its trace, or ''  16 its tracestate
-- Returns {'NOT_FOUND' | 'CONTEXT' | 'CONFLICT'} | {'TERMINAL', state} | {'SENT' | 'QUEUED', seq} | {'RESUMED', seq, fence, place}
-- @include lib/now.lua
-- @include lib/emit.lua
-- @include lib/index.lua
-- @include lib/enter.lua
-- @include lib/line.lua
-- @include lib/vacate.lua
local task, id = KEYS[1], ARGV[1]
local f = redis.call('HMGET', task, 'state', 'owner', 'context', 'turn', 'seq', 'head', 'answers')
if not f[1] or f[2] ~= ARGV[2] then return { 'NOT_FOUND' } end
if not string.find(ARGV[8], ' ' .. f[1] .. ' ', 1, true) then return { 'TERMINAL', f[1] } end
if ARGV[3] ~= '' and ARGV[3] ~= f[3] then return { 'CONTEXT' } end

local waits = string.find(ARGV[9], ' ' .. f[1] .. ' ', 1, true) ~= nil
local answers = (f[7] or 0) + (waits and 1 or 0)
local mark = answers .. ' ' .. ARGV[5]
local sent = redis.call('HGET', task .. ':messages', ARGV[4])
if sent == mark then return { 'SENT', tonumber(f[5]) } end
if sent and string.sub(sent, 1, #tostring(answers) + 1) == answers .. ' ' then return { 'CONFLICT' } end

redis.call('HSET', task .. ':messages', ARGV[4], mark)
if not waits then
  redis.call('RPUSH', task .. ':history', ARGV[6])
  redis.call('RPUSH', task .. ':inbox', ARGV[6])
  -- No event tells of this message: whoever puts the task together from its events has to know.
  local reply = redis.call('HGET', task, 'reply')
  if reply and reply ~= '' then redis.call('PUBLISH', reply, id .. ' 0 - -') end
  return { 'QUEUED', tonumber(f[5]) }
end
redis.call('HSET', task, 'answers', answers, 'turn', f[4] + 1, 'attempts', 0, 'trace', ARGV[15], 'tracestate', ARGV[16])
redis.call('DEL', task .. ':steps', task .. ':inbox')
enter(task, KEYS[3], id, ARGV[10], ARGV[12], ARGV[13], '')
redis.call('RPUSH', task .. ':history', ARGV[6])
redis.call('RPUSH', task .. ':inbox', ARGV[6])
local seq = emit(task, id, ARGV[7], f[6] .. ARGV[11])
return { 'RESUMED', seq, vacate(task, KEYS[2], id, now_ms(), now_ms() + ARGV[14]), join_line(task) }
