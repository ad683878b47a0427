-- Why the events cannot be committed, or nil: every one is judged before the first is written.
local function unfit(task)
  local state, new, left = redis.call('HGET', task, 'state'), {}, false
  for at = 8, #ARGV, 8 do
    local name = ARGV[at + 2]
    if left then return { 'ILLEGAL', state } end
    left = ARGV[at + 7] ~= ''
    if ARGV[at] == 'S' then
      if not string.find(ARGV[at + 3], ' ' .. state .. ' ', 1, true) then return { 'ILLEGAL', state } end
      state = name
    elseif ARGV[at + 5] == 'N' then
      new[name] = true
    elseif not new[name] and redis.call('HEXISTS', task .. ':artifacts', name) == 0 then
      return { 'UNKNOWN_ARTIFACT', name }
    end
  end
  return nil
end

-- An artifact is a list: its head, then its parts chunk by chunk. A chunk costs the same however many came before.
local function put_artifact(task, name, head, parts, mode)
  local n = redis.call('HGET', task .. ':artifacts', name)
  if not n then
    n = redis.call('HINCRBY', task, 'artifacts', 1)
    redis.call('HSET', task .. ':artifacts', name, n)
  end
  local key = task .. ':artifact:' .. n
  if mode == 'N' then
    redis.call('DEL', key)
    redis.call('RPUSH', key, head, parts)
  else
    redis.call('LSET', key, 0, head)
    redis.call('RPUSH', key, parts)
  end
end

-- Drops the messages that this turn has answered, and says whether the end of the turn gives way to later ones.
local function gives_way(task, how)
  redis.call('LTRIM', task .. ':inbox', redis.call('HGET', task, 'taken'), -1)
  redis.call('HSET', task, 'taken', 0)
  return string.sub(how, 1, 1) == '+' and redis.call('LLEN', task .. ':inbox') > 0
end

-- The turn would end, but messages wait for it: its last word becomes history and the next turn begins.
local function next_turn(task, at)
  if ARGV[at + 6] ~= '' then redis.call('RPUSH', task .. ':history', ARGV[at + 6]) end
  redis.call('HINCRBY', task, 'turn', 1)
  redis.call('HSET', task, 'attempts', 0)
  redis.call('DEL', task .. ':steps')
  return tonumber(redis.call('HGET', task, 'seq'))
end

local function leave_turn(task, id, now, how)
  local kind, ms = string.match(how, '^%+?([EI])(%d+)$')
  if kind == 'E' then finish(task, KEYS[2], id, now, tonumber(ms)) end
  if kind == 'I' then vacate(task, KEYS[2], id, now, now + ms) end
end
