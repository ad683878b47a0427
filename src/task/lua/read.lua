-- The current task, in one step, so that all parts belong to one sequence number. Returned in pieces that the caller joins:
-- Redis would hash every string that a script creates, byte by byte. A small one comes as one text all the same, as nearly all
-- are: the client pays more for each item of a reply than Redis for hashing them.
-- KEYS  1 task
--       2 history
--       3 … its artifacts, as far as they are lists
-- ARGV  1 owner, or '*' for the service itself
--       what follows may be left out as a whole:
--       2 messages of history, -1 for all (-1)
--       3 '1' with artifacts ('1')
--       4 names of its artifacts as the caller knows them ('')
--       5 most bytes, beyond which it must be read in steps (8 MiB)
--       6 ms for which the caller wants to hear of events, '' for not at all ('')
-- Returns false, where it is missing or foreign | {'AGAIN', names of its artifacts} | {'LARGE'}
--       | {'TASK', {word, context, status, rest, metadata, artifacts, use of models}, {message, …}, {{head, parts, …}, …}}
--       | '<word>\0<status>\0<rest>\0<metadata>\0<artifacts>\0<use of models>\0<message>\0<context>', what is missing is empty
-- Globals are found by their names; what is needed seldom is included where it is (decision 0080).
local call, KEYS, ARGV = redis.call, KEYS, ARGV
local SMALL = 8192
local most, shows_artifacts, names = tonumber(ARGV[2] or -1), (ARGV[3] or '1') == '1', ARGV[4] or ''
local most_bytes, watch_ms = tonumber(ARGV[5] or 8388608), ARGV[6] or ''

-- The owner is checked before anything else is read that may be large: the response time would reveal a foreign task by its size.
local known = call('HMGET', KEYS[1], 'o', 'b', 'z', 'n')
if not known[1] or (ARGV[1] ~= '*' and ARGV[1] ~= known[1]) then return false end

local size, lists = (known[2] or 0) + (known[3] or 0), known[4] or ''
if shows_artifacts and lists ~= names then return { 'AGAIN', lists } end
if size > most_bytes and (most ~= 0 or shows_artifacts) then return { 'LARGE' } end
if watch_ms ~= '' then
-- @include lib/now.lua
  call('HSET', KEYS[1], 'p', now_ms() + watch_ms, 'x', '1')
end

local later = most ~= 0 and call('LLEN', KEYS[2]) or 0
if most < 0 and later == 0 and shows_artifacts and #KEYS == 2 and size <= SMALL then
  local f = call('HMGET', KEYS[1], 's', 't', 'j', 'm', 'a', 'mu', 'h', 'c', 'g')
  -- The metadata of a later message replaces that of the first.
  f[4] = f[9] or f[4]
  for n = 1, 8 do f[n] = f[n] or '' end
  return table.concat(f, '\0', 1, 8)
end

local messages = {}
if most ~= 0 then
  if most < 0 or most > later then messages[1] = call('HGET', KEYS[1], 'h') end
  if later > 0 then
    for _, message in ipairs(call('LRANGE', KEYS[2], most < 0 and 0 or -math.min(most, later), -1)) do
      messages[#messages + 1] = message
    end
  end
end
local artifacts, joined = {}, false
if shows_artifacts then
  joined = call('HGET', KEYS[1], 'a')
  for n = 3, #KEYS do artifacts[n - 2] = call('LRANGE', KEYS[n], 0, -1) end
end
local f = call('HMGET', KEYS[1], 's', 'c', 't', 'j', 'm', 'g', 'mu')
f[5], f[6] = f[6] or f[5], joined
return { 'TASK', f, messages, artifacts }
