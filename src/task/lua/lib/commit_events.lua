-- The number of a task's artifact by its name, or nil when there is none.
local function artifact_number(t, name)
  local field = 'artifact:' .. name
  if not t[field] and tonumber(t.artifacts) > 0 then t[field] = redis.call('HGET', t.key, field) or nil end
  return t[field]
end

-- Why the events cannot be committed, or nil: every one is judged before the first is written.
local function unfit(t)
  local state, new, left = t.state, {}, false
  for at = 8, #ARGV, 8 do
    local name = ARGV[at + 2]
    if left then return { 'ILLEGAL', state } end
    left = ARGV[at + 7] ~= ''
    if ARGV[at] == 'S' then
      if not is_one_of(state, ARGV[at + 3]) then return { 'ILLEGAL', state } end
      state = name
    elseif ARGV[at + 5] == 'N' then
      new[name] = true
    elseif not new[name] and not artifact_number(t, name) then
      return { 'UNKNOWN_ARTIFACT', name }
    end
  end
  return nil
end

-- An artifact is a list: its head, then its parts chunk by chunk. A chunk costs the same however many came before.
local function put_artifact(t, name, head, parts, mode)
  local n = artifact_number(t, name)
  if not n then
    n = t.artifacts + 1
    put(t, 'artifacts', n, 'artifact:' .. name, n)
  elseif mode == 'N' then
    redis.call('DEL', t.key .. ':artifact:' .. n)
  else
    redis.call('LSET', t.key .. ':artifact:' .. n, 0, head)
    redis.call('RPUSH', t.key .. ':artifact:' .. n, parts)
    return
  end
  redis.call('RPUSH', t.key .. ':artifact:' .. n, head, parts)
end

-- Whether the end of the turn gives way to messages that came while it ran.
local function gives_way(t, how)
  answer_inbox(t)
  return string.sub(how, 1, 1) == '+' and t.inbox ~= ''
end

-- The turn would end, but messages wait for it: its last word becomes history and the next turn begins.
local function begin_next_turn(t, message)
  if message ~= '' then redis.call('RPUSH', t.key .. ':history', message) end
  redis.call('DEL', t.key .. ':steps')
  put(t, 'turn', t.turn + 1, 'attempts', 0)
end

local function leave_turn(t, due, now, how)
  local kind, ms = string.match(how, '^%+?([EI])(%d+)$')
  if kind == 'E' then finish(t, due, now, tonumber(ms)) end
  if kind == 'I' then vacate(t, due, now, now + ms) end
end
