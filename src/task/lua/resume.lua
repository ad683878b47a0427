-- Gives a task the next message of its owner: it begins the next turn when the task waits for one, and stands in line
-- when a turn is running. The same message counts once between two waits of the task.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 owner  3 context id, or ''  4 message id  5 hash of the request  6 message  7 nonce
--       8 open states  9 interrupted states  10 state WORKING  11 WORKING event's tail  12 timestamp  13 the same in ms
--       14 ms until the sweep looks whether a job was added  15 place of the call in its trace, or ''  16 its tracestate
--       17 place that other lines serve  18 output modes that are accepted from now on, or ''  19 the task's metadata
--       from now on, or ''  20 id of the webhook that the message brings, or ''  21 the webhook  22 most of a task
-- Returns {'NOT_FOUND' | 'CONTEXT' | 'CONFLICT' | 'HOOKS'} | {'TERMINAL', state} | {'SENT' | 'QUEUED', seq} | {'RESUMED', seq, fence, place[, place served]}
-- @include lib/record.lua
-- @include lib/hold.lua
-- @include lib/line.lua
-- @include lib/inbox.lua
-- @include lib/enter.lua
-- @include lib/put_hook.lua
local t, now = read_task_of(ARGV[2], KEYS[1], ARGV[1]), now_ms()
if not t then return { 'NOT_FOUND' } end
if not is_one_of(t.state, ARGV[8]) then return { 'TERMINAL', t.state } end
if ARGV[3] ~= '' and ARGV[3] ~= t.context then return { 'CONTEXT' } end

local waits = is_one_of(t.state, ARGV[9])
local answers = (tonumber(t.answers) or 0) + (waits and 1 or 0)
local mark = answers .. ' ' .. ARGV[5]
local sent = redis.call('HGET', t.key .. ':messages', ARGV[4])
if sent == mark then return { 'SENT', tonumber(t.seq) } end
if sent and string.sub(sent, 1, #tostring(answers) + 1) == answers .. ' ' then return { 'CONFLICT' } end
if ARGV[20] ~= '' and not has_room(t.hooks, ARGV[20], ARGV[22]) then return { 'HOOKS' } end
redis.call('HSET', t.key .. ':messages', ARGV[4], mark)
if ARGV[20] ~= '' then put(t, 'hooks', put_hook(t.key, t.hooks, ARGV[20], ARGV[21], t.seq + 1, tonumber(t.seq))) end
if ARGV[18] ~= '' then put(t, 'modes', ARGV[18]) end
if ARGV[19] ~= '' then put(t, 'metadata', ARGV[19]) end

if not waits then
  put_in_inbox(t, redis.call('RPUSH', t.key .. ':history', ARGV[6]))
  save_task(t)
  -- No event tells of this message: whoever puts the task together from its events has to know.
  if t.reply ~= '' then redis.call('PUBLISH', t.reply, t.id .. ' 0 - -') end
  return { 'QUEUED', tonumber(t.seq) }
end
redis.call('DEL', t.key .. ':steps')
put(t, 'answers', answers, 'turn', t.turn + 1, 'attempts', 0, 'trace', ARGV[15], 'tracestate', ARGV[16], 'inbox', '')
enter(t, ARGV[10], ARGV[12], ARGV[13], '')
put_in_inbox(t, redis.call('RPUSH', t.key .. ':history', ARGV[6]))
tell(t, ARGV[7], t.head .. ARGV[11])
local fence = vacate(t, KEYS[2], now, now + ARGV[14])
local place, served = join_line(t, ARGV[17])
save_task(t)
return { 'RESUMED', t.seq, fence, place, served }
