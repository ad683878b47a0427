-- Adds the next message of its owner to a task: it starts the next turn if the task waits for an answer, answers
-- questions of its tree, or enters the inbox during a running turn: its own, or that of the task with the handed-over
-- conversation. The id of each message is stored as long as the task, and checked before its state: each is accepted
-- once.
-- Input
--   task_key
--   due_key                     open tasks by the time of their next check
--   queue_key                   fair queue
--   limited_queue_key           fair queue of skills with a limit
--   turns_key                   positions of the queues
--   counts_key
--   history_key                 its later messages
--   states_key                  its states
--   outbox_key
--   open_key                    owner's open tasks
--   open_of_context_key         owner's open tasks of the context
--   messages_key                its messages by their id
--   bytes_key                   stored bytes by account
--   push_key                    its webhooks
--   senders_key                 senders of its messages
--   parked_key                  parked tasks
--   questions_key               questions of the tree of the task
--   asking_key                  roots whose questions must be shown
--   working_key                 owner's open tasks by state, and those of the context (lib/record/relist.lua)
--   input_required_key
--   auth_required_key
--   context_working_key
--   context_input_required_key
--   context_auth_required_key
--   tenant_tasks_key            tasks of the tenant, or of the tree, by state and time
--   answered …                  tasks with a question that the message answers
--     answering_key
--     answering_journal_key
--   id                          of the task
--   owner
--   context                     its id, or ''
--   message_id
--   request_hash
--   message
--   nonce                       of the event
--   open_states
--   waiting_states              interrupted states
--   state                       resulting state: WORKING, or that of questions that are asked again
--   event
--   ms                          of the status
--   stuck_ms                    longest wait for a run
--   ttl                         of the task, ms
--   elsewhere                   position that other queues serve
--   hints                       channel of the dispatchers
--   shard
--   max_messages                of a task
--   max_bytes                   of a task
--   tenant_account              '' for none
--   client_account
--   modes                       output modes of the message or ''
--   metadata                    of the message, or ''
--   hook                        id of a webhook or ''
--   record                      of the webhook
--   max_hooks                   of a task
--   digest                      of the message or '': with its sender, recorded or not at all
--   sender
--   signal                      of the message or ''
--   judged                      the message's relation to questions of the tree: '' unknown, '-' it is for none of them, '!' it
--                               names one that is not open, '=<turn>' it answers the one that ended that turn, '>' it is for the
--                               task that has the conversation, '>-' and for none of the questions, or '?' it answers those of
--                               'answers', or must be asked again when there are none
--   status_message              message that asks again, or ''
--   max_journal_bytes
--   max_journal_entries
--   answers …                   in the order of 'answered' (lib/tree/answer.lua)
--     id
--     seen                      its questions as read by the caller
--     left                      the remaining ones, or ''
--     how                       'ask', 'turn' or 'vote'
--     entries …                 of its journal: name, value
--   fields …                    of the new turn: name, value
--   has_holder                  the task that has the conversation
--     holder_key
--     holder_history_key
--     holder_senders_key
--     holder_id
--     holder_message            the message for it
-- Output
--   {'NOT_FOUND' | 'CONTEXT' | 'MESSAGES' | 'BYTES' | 'HOOKS'} | {'TERMINAL', state} | {'QUEUED', seq, rev, asks}
--   {'SENT', seq, rev, mark} its id was used before, with this mark
--   {'ASKED'} questions are open that are unknown to the caller, or another task has the conversation
--   {'FULL'} there is no room for the answer
--   {'UNKNOWN'} the question named by the message is not open
--   {'HELD'} the task cannot ask again: a run holds it
--   {'ANSWERED', seq, rev, runs in the fair queues, asks}
--   {'WOKEN', seq, rev, asks} the task waited for this message, and its run is in the queue
--   {'RESUMED', seq, fence, position[, position served]} | {'EARLIER', ms}
--   asks: 1 when questions of its tree interrupt the task and some stay open after this message
-- @include ../lib/record/record.lua
-- @include ../lib/queue/wake.lua
-- @include ../lib/hooks/publish.lua
-- @include ../lib/hooks/hooked.lua
-- @include ../lib/hooks/put_hook.lua
-- @include ../lib/record/status.lua
-- @include ../lib/tree/answer.lua

-- Overhead of the entry that identifies a message, besides its text.
local ENTRY_BYTES = 200

-- The reason why a task accepts no further message, or nil when it does.
local function full(one_key, one_history_key, bytes)
  local stored = redis.call('HMGET', one_key, field.message_bytes, field.result_bytes, field.journal_bytes)
  if 1 + redis.call('LLEN', one_history_key) >= tonumber(max_messages) then return 'MESSAGES' end
  return (stored[1] or 0) + (stored[2] or 0) + (stored[3] or 0) + bytes > tonumber(max_bytes) and 'BYTES' or nil
end

local function add_bytes(one_key, bytes)
  redis.call('HINCRBY', one_key, field.message_bytes, bytes)
  if tenant_account == '' then return end
  redis.call('HINCRBY', bytes_key, tenant_account, bytes)
  redis.call('HINCRBY', bytes_key, client_account, bytes)
end

-- A message has no event, so readers that build the task from its events must be notified. Returns the count of
-- changes.
local function notify_readers(t, now)
  redis.call('HSET', t.key, field.has_request, '1', field.watched, now + 60000)
  if t.reply ~= '' then redis.call('PUBLISH', t.reply, t.id .. ' 0 - -') end
  return redis.call('HINCRBY', t.key, field.changes, 1)
end

-- Puts a message into the inbox of a task with a running turn. Returns 'WOKEN' if the task waited for it, else
-- 'QUEUED', and its count of changes.
local function take_in(t, one_history_key, text, now)
  append(one_history_key, ttl, text)
  local from, upto, late = read_inbox(t)
  redis.call('HSET', t.key, field.inbox, from .. ' ' .. upto .. ' ' .. (late + 1))
  local rev, waits_for = notify_readers(t, now), ' ' .. t.signals .. ' '
  local is_awaited = string.find(waits_for, ' * ', 1, true)
    or signal ~= '' and string.find(waits_for, ' ' .. signal .. ' ', 1, true)
  if is_parked(t) and is_awaited then
    wake(t, now, now)
    return 'WOKEN', rev
  end
  if t.nonce ~= '-' and t.worker ~= '' then redis.call('PUBLISH', t.worker, 'message ' .. t.id .. ' ' .. t.fence) end
  return 'QUEUED', rev
end

local t, now = read_task_of(owner, task_key, id), now_ms()
local function asks_still() return is_one_of(t.state, waiting_states) and redis.call('EXISTS', questions_key) or 0 end
if not t then return { 'NOT_FOUND' } end
local sent = redis.call('HGET', messages_key, message_id)
-- With the count of changes: the caller waits for replicas again, since the first attempt may have timed out.
if sent then return { 'SENT', t.seq, tonumber(redis.call('HGET', task_key, field.changes) or 0), sent } end
if not is_one_of(t.state, open_states) then return { 'TERMINAL', t.state } end
if context ~= '' and context ~= t.context then return { 'CONTEXT' } end

local waits = is_one_of(t.state, waiting_states) and t.is_shown == ''
local asks = not waits and (t.questions ~= '' or questions_key == task_key .. ':questions' and redis.call('EXISTS', questions_key) == 1)
local holder = has_holder and read_task(holder_key, holder_id)
local known = judged == '?'
-- Only a task without a run gets a status here.
local is_shown = known and is_parked(t)
local answers = (tonumber(t.answers) or 0) + (waits and 1 or 0)
local ended = string.match(judged, '^=(%d+)$')
if judged == '!' or ended and (not waits or t.turn ~= tonumber(ended)) then return { 'UNKNOWN' } end
if asks and (judged == '' or judged == '>') or known and (not asks or not are_open()) then return { 'ASKED' } end
-- The other task has ended or asked meanwhile, or the conversation is back.
local holds = holder and is_one_of(holder.state, open_states) and not is_one_of(holder.state, waiting_states)
if has_holder and (waits or not holds) then return { 'ASKED' } end
if known and answers_to < answers_from and not is_shown then return { 'HELD' } end
if (waits or is_shown) and ms < t.ms then return { 'EARLIER', t.ms } end
if known and not have_room() then return { 'FULL' } end
local refusal = full(task_key, history_key, #message) or holder and full(holder_key, holder_history_key, #holder_message)
if refusal then return { refusal } end
if hook ~= '' and not has_room(t.hooks, hook, max_hooks) then return { 'HOOKS' } end

add_bytes(task_key, #message + #digest + #sender + ENTRY_BYTES)
-- The count is for processes of the previous version, which use it to identify a message for one turn.
redis.call('HSET', messages_key, message_id, answers .. ' ' .. request_hash)
if modes ~= '' then redis.call('HSET', task_key, field.later_modes, modes) end
if metadata ~= '' then redis.call('HSET', task_key, field.later_metadata, metadata) end
redis.call('PEXPIRE', messages_key, ttl)
-- After the next question the same id and words may come from another caller, and then belong to that caller.
if digest ~= '' then
  redis.call('HSET', senders_key, digest, sender)
  -- The message that answered the question that ended the turn, and its time.
  if waits then redis.call('HSET', senders_key, '?' .. t.turn, now .. ' ' .. digest) end
  redis.call('PEXPIRE', senders_key, ttl)
end
-- A webhook in the message gets the events that follow from it.
if hook ~= '' then
  local of = { task_key = task_key, push_key = push_key, outbox_key = outbox_key, bytes_key = bytes_key, id = t.id, hooks = t.hooks,
    seq = t.seq, hints = hints, shard = shard }
  t.hooks = put_hook(of, hook, record, t.seq + 1)
  put_hooks(task_key, t.hooks)
  redis.call('PEXPIRE', push_key, ttl)
end
local status = { state = state, event = event, ms = ms, message = status_message, nonce = nonce }
local function publish() publish_events(t, now, function() return t.id .. ' ' .. t.seq .. ' ' .. nonce .. ' ' .. event end) end
if known then
  if is_shown then
    status.shown = is_one_of(status.state, waiting_states)
    if t.message ~= '' then append(history_key, ttl, t.message) end
    t.message = ''
  end
  append(history_key, ttl, message)
  redis.call('HSET', t.key, field.has_request, '1', field.watched, now + 60000)
  if is_shown then
    put_status(t, status)
    publish()
  elseif t.reply ~= '' then
    redis.call('PUBLISH', t.reply, t.id .. ' 0 - -')
  end
  local runs = give_answers(now)
  if redis.call('EXISTS', questions_key) == 1 then redis.call('ZADD', asking_key, now, string.match(questions_key, '([^:]+):questions$')) end
  return { 'ANSWERED', t.seq, redis.call('HINCRBY', task_key, field.changes, 1), runs, asks_still() }
end
if holder then
  append(history_key, ttl, message)
  add_bytes(holder_key, #holder_message + #digest + #sender + ENTRY_BYTES)
  if digest ~= '' then
    redis.call('HSET', holder_senders_key, digest, sender)
    redis.call('PEXPIRE', holder_senders_key, ttl)
  end
  local verdict = take_in(holder, holder_history_key, holder_message, now)
  return { verdict, t.seq, notify_readers(t, now), asks_still() }
end
if not waits then
  local verdict, rev = take_in(t, history_key, message, now)
  return { verdict, t.seq, rev, asks_still() }
end
if t.message ~= '' then append(history_key, ttl, t.message) end
t.message = ''
local length = append(history_key, ttl, message)
if t.questions ~= '' then
  redis.call('HDEL', t.key, field.questions)
  drop_questions(questions_key, asking_key, t.id, now)
end
vacate(t)
t.turn, t.attempt = t.turn + 1, 0
put_status(t, status)
redis.call('HSET', task_key, field.answers, answers, field.inbox, length .. ' ' .. (length + 1) .. ' 0', field.has_request, '1', field.watched, now + 60000,
  unpack(ARGV, fields_from, fields_to))
redis.call('PEXPIRE', task_key, ttl)
redis.call('ZADD', due_key, now + stuck_ms, t.id)
local position, served = join_queue(t.limited == '1' and limited_queue_key or queue_key, turns_key, t.member, t.tenant, elsewhere)
publish()
return { 'RESUMED', t.seq, t.fence, position, served }
