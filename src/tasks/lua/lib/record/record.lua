-- The record of a task: its hash, as far as scripts need it. The names and meaning of its fields are in task-fields.ts.
-- The traits are '<tenant> <skill or -> <attempts or -> <1 for a skill with a limit or -> <1 for a context that was
-- named or -> <digest of its mark> <account of its client or ->', for a child followed by ' <parent> <root> <depth>
-- <group> <key>' and ' none' when its parent does not show its progress, or ' artifacts' when it shows its artifacts
-- too.
-- @include word.lua
-- @include ../run/now.lua
-- @include count.lua

-- The record, or nil when there is none.
local function read_task(task_key, id)
  local f = redis.call('HMGET', task_key, field.word, field.owner, field.context, field.traits, field.status, field.cancel, field.hooks,
    field.inbox, field.answers, field.worker, field.reply, field.watched, field.replay, field.signals, field.questions, field.is_shown)
  if not f[1] then return nil end
  local t = read_word(f[1])
  t.key, t.id, t.word = task_key, id, f[1]
  for at = 2, 16 do f[at] = f[at] or '' end
  t.owner, t.context, t.traits, t.status, t.cancel, t.hooks, t.inbox = f[2], f[3], f[4], f[5], f[6], f[7], f[8]
  t.answers, t.worker, t.reply, t.watched, t.replay, t.signals, t.questions, t.is_shown =
    f[9], f[10], f[11], f[12], f[13], f[14], f[15], f[16]
  t.tenant, t.skill, t.limit, t.limited, t.named = string.match(t.traits, '^(%S+) (%S+) (%S+) (%S+) (%S+)')
  t.ms, t.message = string.sub(t.status, 1, 13), string.sub(t.status, 15)
  t.member = t.limited == '1' and id .. ' ' .. t.skill or id
  return t
end

-- The same, or nothing if the task has another owner. The owner is read first: otherwise the response time would reveal
-- a foreign task by its size.
local function read_task_of(owner, task_key, id)
  return redis.call('HGET', task_key, field.owner) == owner and read_task(task_key, id)
end

-- The messages that wait for the task's skill, as '<from> <up to> <late>': indexes in its history from the first
-- message of this turn to the one before 'up to', and the number of later ones.
local function read_inbox(t)
  local from, upto, late = string.match(t.inbox == '' and '0 1 0' or t.inbox, '^(%d+) (%d+) (%d+)$')
  return tonumber(from), tonumber(upto), tonumber(late)
end

-- Appends to a list of the task, which lives as long as the task's hash.
local function append(list_key, ttl, ...)
  local count = select('#', ...)
  local length = redis.call('RPUSH', list_key, ...)
  if length == count then redis.call('PEXPIRE', list_key, ttl) end
  return length
end
