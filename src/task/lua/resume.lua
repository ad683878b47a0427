-- Adds the next message of its owner to a task: it starts the next turn if the task waits for an answer, answers questions of its
-- tree, or enters the inbox if a turn is running: its own, or that of the task to which the conversation was handed over. The id
-- of each message is kept as long as the task, and looked up before its state: each is taken once.
-- KEYS  1 task
--       2 due
--       3 fair queue
--       4 fair queue of skills with a limit
--       5 positions of the queue
--       6 counts
--       7 history
--       8 states
--       9 outbox
--       10 owner's open tasks
--       11 owner's open tasks of the context
--       12 messages by their id
--       13 stored bytes
--       14 webhooks
--       15 senders of its messages
--       16 parked tasks
--       17 questions of the tree of the task
--       18 roots whose questions are to be shown
--       19 … each task with a question that the message answers: it and its journal (lib/answer.lua); or the task that has the
--          conversation, its history and its senders
--       … owner's open tasks by state, and those of the context (lib/relist.lua)
--       last: tenant's tasks
-- ARGV  1 task id
--       2 owner
--       3 context id, or ''
--       4 message id
--       5 hash of the request
--       6 message
--       7 nonce
--       8 open states
--       9 interrupted states
--       10 state that follows: WORKING, or that of questions that are asked again
--       11 its event
--       12 ms of the status
--       13 longest wait for a run, ms
--       14 TTL of the task, ms
--       15 position that other queues serve
--       16 channel of the dispatchers
--       17 shard
--       18 most messages of a task
--       19 most bytes of a task
--       20 account of the tenant, 21 account of the client; '' for none
--       22 modes of the answer or '', 23 metadata or '': what the message changes of the task
--       24 id of a webhook or '', 25 its record, 26 most webhooks of a task
--       27 digest of the message or '', 28 its sender: recorded with the message, or not at all
--       29 signal of the message or ''
--       30 whether questions of the tree are known to the caller: '' no, '-' the message is for none of them, '!' it names one that is
--          not open, '=<turn>' it answers the one with which that turn has ended, '>' it is for the task that has the
--          conversation, '>-' and for none of the questions, or how many of its answers in ARGV follow
--       31 status message of what is asked again, or ''
--       32 most bytes of a journal, 33 most entries
--       34 … answers (lib/answer.lua), or the id of the task that has the conversation and the message for it; then fields of the
--          new turn: name, value
-- Returns {'NOT_FOUND' | 'CONTEXT' | 'MESSAGES' | 'BYTES' | 'HOOKS'} | {'TERMINAL', state} | {'QUEUED', seq, rev, asks}
--       | {'SENT', seq, rev, mark} its id was taken before, with this mark
--       | {'ASKED'} questions are open that the caller does not know, or another task has the conversation
--       | {'FULL'} there is no room for the answer
--       | {'UNKNOWN'} the question that the message names is not open
--       | {'HELD'} nothing can be asked again: a run holds the task
--       | {'ANSWERED', seq, rev, runs in the fair queues, asks}
--       | {'WOKEN', seq, rev, asks} the task waited for this message, and its run is in the queue
--       | {'RESUMED', seq, fence, position[, position served]} | {'EARLIER', ms}
--       asks: 1 where the task is interrupted by questions of its tree and some are open with this message taken
-- @include lib/record.lua
-- @include lib/wake.lua
-- @include lib/publish.lua
-- @include lib/hooked.lua
-- @include lib/put_hook.lua
-- @include lib/status.lua
-- @include lib/answer.lua

-- Of the entry by which a message is known again, beside the text.
local ENTRY_BYTES = 200

-- Why a task takes no further message, or nil where it does.
local function full(key, history, bytes)
  local stored = redis.call('HMGET', key, 'b', 'z', 'jb')
  if 1 + redis.call('LLEN', history) >= tonumber(ARGV[18]) then return 'MESSAGES' end
  return (stored[1] or 0) + (stored[2] or 0) + (stored[3] or 0) + bytes > tonumber(ARGV[19]) and 'BYTES' or nil
end

local function add_bytes(key, bytes)
  redis.call('HINCRBY', key, 'b', bytes)
  if ARGV[20] == '' then return end
  redis.call('HINCRBY', KEYS[13], ARGV[20], bytes)
  redis.call('HINCRBY', KEYS[13], ARGV[21], bytes)
end

-- A message has no event, so readers that build the task from its events must be notified. Returns the count of changes.
local function tell_readers(t, now)
  redis.call('HSET', t.key, 'x', '1', 'p', now + 60000)
  if t.r ~= '' then redis.call('PUBLISH', t.r, t.id .. ' 0 - -') end
  return redis.call('HINCRBY', t.key, 'v', 1)
end

-- Puts a message into the inbox of a task whose turn goes on. Returns 'WOKEN' where it waited for it, else 'QUEUED', and its
-- count of changes.
local function take_in(t, history, text, keys, now)
  append(history, ARGV[14], text)
  local from, upto, late = read_inbox(t)
  redis.call('HSET', t.key, 'q', from .. ' ' .. upto .. ' ' .. (late + 1))
  local rev, waits_for = tell_readers(t, now), ' ' .. t.l .. ' '
  local is_awaited = string.find(waits_for, ' * ', 1, true)
    or ARGV[29] ~= '' and string.find(waits_for, ' ' .. ARGV[29] .. ' ', 1, true)
  if is_parked(t) and is_awaited then
    wake(t, now, keys, now, ARGV[13], ARGV[15])
    return 'WOKEN', rev
  end
  if t.nonce ~= '-' and t.d ~= '' then redis.call('PUBLISH', t.d, 'message ' .. t.id .. ' ' .. t.fence) end
  return 'QUEUED', rev
end

local t, now = read_task_of(ARGV[2], KEYS[1], ARGV[1]), now_ms()
local function asks_still() return is_one_of(t.state, ARGV[9]) and redis.call('EXISTS', KEYS[17]) or 0 end
if not t then return { 'NOT_FOUND' } end
local sent = redis.call('HGET', KEYS[12], ARGV[4])
-- With the count of changes: the caller waits for replicas again, since the first attempt may have timed out.
if sent then return { 'SENT', t.seq, tonumber(redis.call('HGET', KEYS[1], 'v') or 0), sent } end
if not is_one_of(t.state, ARGV[8]) then return { 'TERMINAL', t.state } end
if ARGV[3] ~= '' and ARGV[3] ~= t.c then return { 'CONTEXT' } end

local waits = is_one_of(t.state, ARGV[9]) and t.sh == ''
local asks = not waits and (t.qs ~= '' or KEYS[17] == KEYS[1] .. ':questions' and redis.call('EXISTS', KEYS[17]) == 1)
local is_handed = string.sub(ARGV[30], 1, 1) == '>'
local holder = is_handed and read_task(KEYS[19], ARGV[34])
local known, last_answer = tonumber(ARGV[30]), 33 + (is_handed and 2 or tonumber(ARGV[30]) or 0)
-- Only what no run holds gets a status from here.
local is_told = known ~= nil and is_parked(t)
local answers = (tonumber(t.y) or 0) + (waits and 1 or 0)
local ended = string.match(ARGV[30], '^=(%d+)$')
if ARGV[30] == '!' or ended and (not waits or t.turn ~= tonumber(ended)) then return { 'UNKNOWN' } end
if asks and (ARGV[30] == '' or ARGV[30] == '>') or known and (not asks or not are_open(19, 34, last_answer)) then return { 'ASKED' } end
-- The other task has ended or asked meanwhile, or the conversation is back.
local holds = holder and is_one_of(holder.state, ARGV[8]) and not is_one_of(holder.state, ARGV[9])
if is_handed and (waits or not holds) then return { 'ASKED' } end
if known == 0 and not is_told then return { 'HELD' } end
if (waits or is_told) and ARGV[12] < t.ms then return { 'EARLIER', t.ms } end
if known and not have_room(19, 34, last_answer, { size = ARGV[32], entries = ARGV[33] }) then return { 'FULL' } end
local refusal = full(KEYS[1], KEYS[7], #ARGV[6]) or holder and full(KEYS[19], KEYS[20], #ARGV[35])
if refusal then return { refusal } end
if ARGV[24] ~= '' and not has_room(t.w, ARGV[24], ARGV[26]) then return { 'HOOKS' } end

add_bytes(KEYS[1], #ARGV[6] + #ARGV[27] + #ARGV[28] + ENTRY_BYTES)
-- The count is for processes of the version before, which know a message by it for one turn.
redis.call('HSET', KEYS[12], ARGV[4], answers .. ' ' .. ARGV[5])
if ARGV[22] ~= '' then redis.call('HSET', KEYS[1], 'u', ARGV[22]) end
if ARGV[23] ~= '' then redis.call('HSET', KEYS[1], 'g', ARGV[23]) end
redis.call('PEXPIRE', KEYS[12], ARGV[14])
-- After the next question the same id and words may come from another caller, and are then that caller's.
if ARGV[27] ~= '' then
  redis.call('HSET', KEYS[15], ARGV[27], ARGV[28])
  -- Which message has answered the question with which the turn has ended, and when.
  if waits then redis.call('HSET', KEYS[15], '?' .. t.turn, now .. ' ' .. ARGV[27]) end
  redis.call('PEXPIRE', KEYS[15], ARGV[14])
end
-- A webhook in the message gets the events that follow from it.
if ARGV[24] ~= '' then
  local of = { task_key = KEYS[1], push_key = KEYS[14], outbox_key = KEYS[9], bytes_key = KEYS[13], id = t.id, hooks = t.w,
    seq = t.seq, hints = ARGV[16], shard = ARGV[17] }
  t.w = put_hook(of, ARGV[24], ARGV[25], t.seq + 1)
  put_hooks(KEYS[1], t.w)
  redis.call('PEXPIRE', KEYS[14], ARGV[14])
end
local status = { state = ARGV[10], event = ARGV[11], ms = ARGV[12], message = ARGV[31], nonce = ARGV[7], ttl = ARGV[14] }
local lists = { counts = KEYS[6], history = KEYS[7], states = KEYS[8], open = KEYS[10], open_of_context = KEYS[11] }
local keys = { due = KEYS[2], parked = KEYS[16], queue = KEYS[3], limited_queue = KEYS[4], turns = KEYS[5] }
keys.questions, keys.asking = KEYS[17], KEYS[18]
local function tell() publish_events(t, now, KEYS[9], ARGV[16], ARGV[17], function()
  return t.id .. ' ' .. t.seq .. ' ' .. ARGV[7] .. ' ' .. ARGV[11] end) end
if known then
  if is_told then
    status.shown = is_one_of(status.state, ARGV[9])
    if t.message ~= '' then append(KEYS[7], ARGV[14], t.message) end
    t.message = ''
  end
  append(KEYS[7], ARGV[14], ARGV[6])
  redis.call('HSET', t.key, 'x', '1', 'p', now + 60000)
  if is_told then
    put_status(t, status, lists)
    tell()
  elseif t.r ~= '' then
    redis.call('PUBLISH', t.r, t.id .. ' 0 - -')
  end
  local runs = give_answers(19, 34, last_answer, keys, now, { ttl = ARGV[14], sums = KEYS[13], tenant = ARGV[20], client = ARGV[21],
    longest = ARGV[13], elsewhere = ARGV[15] })
  if redis.call('EXISTS', KEYS[17]) == 1 then redis.call('ZADD', KEYS[18], now, string.match(KEYS[17], '([^:]+):questions$')) end
  return { 'ANSWERED', t.seq, redis.call('HINCRBY', KEYS[1], 'v', 1), runs, asks_still() }
end
if holder then
  append(KEYS[7], ARGV[14], ARGV[6])
  add_bytes(KEYS[19], #ARGV[35] + #ARGV[27] + #ARGV[28] + ENTRY_BYTES)
  if ARGV[27] ~= '' then
    redis.call('HSET', KEYS[21], ARGV[27], ARGV[28])
    redis.call('PEXPIRE', KEYS[21], ARGV[14])
  end
  local verdict = take_in(holder, KEYS[20], ARGV[35], keys, now)
  return { verdict, t.seq, tell_readers(t, now), asks_still() }
end
if not waits then
  local verdict, rev = take_in(t, KEYS[7], ARGV[6], keys, now)
  return { verdict, t.seq, rev, asks_still() }
end
if t.message ~= '' then append(KEYS[7], ARGV[14], t.message) end
t.message = ''
local length = append(KEYS[7], ARGV[14], ARGV[6])
if t.qs ~= '' then
  redis.call('HDEL', t.key, 'qs')
  drop_questions(KEYS[17], KEYS[18], t.id, now)
end
vacate(t)
t.turn, t.attempt = t.turn + 1, 0
put_status(t, status, lists)
redis.call('HSET', KEYS[1], 'y', answers, 'q', length .. ' ' .. (length + 1) .. ' 0', 'x', '1', 'p', now + 60000,
  unpack(ARGV, last_answer + 1))
redis.call('PEXPIRE', KEYS[1], ARGV[14])
redis.call('ZADD', KEYS[2], now + ARGV[13], t.id)
local position, served = join_queue(KEYS[t.limited == '1' and 4 or 3], KEYS[5], t.member, t.tenant, ARGV[15])
tell()
return { 'RESUMED', t.seq, t.fence, position, served }
