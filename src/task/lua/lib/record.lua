-- The record of a task: its hash, as far as scripts need it. 's' state word, 'o' owner, 'c' context, 'i' what never
-- changes ('<tenant> <skill or -> <attempts or -> <1 for a skill with a limit or -> <1 for a context that was named or ->
-- <digest of its mark> <account of its client or ->', and of a child behind that ' <parent> <root> <depth> <group> <key>' and
-- ' none' when its parent does not show its progress, or ' artifacts' when it shows its artifacts too),
-- 't' '<ms of the status> <its message or nothing>', and pending requests:
-- 'x' there is one, 'k' ms of the cancel, 'w' webhooks, 'q' inbox, 'y' answers so far, 'd' the worker's channel, 'r' the reply
-- channel, 'p' ms until which subscribers in other processes need its events. Of a task that has waited: 'f' '<turn that is
-- replayed> <number of the event before its first yield>', 'l' signals that end its wait ('*' any message, '&' a child, '!' a hint), 'wk' ms at which
-- its last wait ended, 'sk' indexes of late messages that its earlier turn has read, 'jb' bytes of its journal. 'pb' '<turn> <events that it has published>'.
-- Of a task whose runs were lost: 'ls' how many since the turn made progress, and 'ap' 'next <ms that the lost run lived>' when its next run is a suspect's, or
-- '<fence> <ms>' of such a run while a loss of it ends the task.
-- Of a task that has used language models: 'mu' (settle-use.lua).
-- Of a task that mirrors one of another agent: 'rm' which, 'hn' how many hints it has got of it, 'hd' digests of the last ones.
-- Of a task with children: 'ch' 1, 'nb' and 'np' bytes of its children's progress in its log and 'nx' of a child whose artifacts it shows
-- no more (notes.lua), 'wc' how many of its groups are settled (group.lua), 'cv' the child to which the conversation was handed over last. Of a task that asks: 'qs' its open questions as JSON, 'an' how many have been answered, 'fw' the message that answers one and is to begin its next turn; 'sh' 1:
-- it is interrupted by questions of its tree, and its turn goes on. Of a task with work that can be undone: 'un' 1 (journal.lua),
-- 'ce' '<state> <message or nothing>' of its end, which comes when that is done (end.lua).
-- @include word.lua
-- @include now.lua
-- @include count.lua
local FIELDS = { 's', 'o', 'c', 'i', 't', 'x', 'k', 'w', 'q', 'y', 'd', 'r', 'p', 'f', 'l', 'qs', 'sh' }

-- The record, or nil when there is none.
local function read_task(key, id)
  local f = redis.call('HMGET', key, unpack(FIELDS))
  if not f[1] then return nil end
  local t = read_word(f[1])
  t.key, t.id, t.word = key, id, f[1]
  for at = 2, #FIELDS do t[FIELDS[at]] = f[at] or '' end
  t.tenant, t.skill, t.limit, t.limited, t.named = string.match(t.i, '^(%S+) (%S+) (%S+) (%S+) (%S+)')
  t.ms, t.message = string.sub(t.t, 1, 13), string.sub(t.t, 15)
  t.member = t.limited == '1' and id .. ' ' .. t.skill or id
  return t
end

-- The same, or nothing if the task has another owner. The owner is read first: otherwise the response time would reveal a
-- foreign task by its size.
local function read_task_of(owner, key, id)
  return redis.call('HGET', key, 'o') == owner and read_task(key, id)
end

-- The messages that wait for the task's skill, as '<from> <up to> <late>': indexes in its history from the first message
-- of this turn up to the one before 'up to', and how many have come since.
local function read_inbox(t)
  local from, upto, late = string.match(t.q == '' and '0 1 0' or t.q, '^(%d+) (%d+) (%d+)$')
  return tonumber(from), tonumber(upto), tonumber(late)
end

-- Appends to a list of the task, which lives as long as the task's hash.
local function append(key, ttl, ...)
  local count = select('#', ...)
  local length = redis.call('RPUSH', key, ...)
  if length == count then redis.call('PEXPIRE', key, ttl) end
  return length
end
