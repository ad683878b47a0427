-- A part of the current task, or a large one as a whole, in one step, so that all it returns belongs to one sequence number.
-- Returned in pieces that the caller joins: Redis would hash every string that a script creates, byte by byte.
-- KEYS  1 task
--       2 history
--       3 … its artifacts, as far as they are lists
-- ARGV  1 owner, or '*' for the service itself
--       2 messages of history, -1 for all
--       3 '1' with artifacts
--       4 names of its artifacts as the caller knows them
--       5 most bytes, beyond which the caller asks for room first, or reads in steps
--       6 ms for which the caller wants to hear of events, '' for not at all
-- Returns false, where it is missing or foreign | {'AGAIN', names of its artifacts} | {'LARGE', bytes}
--       | {'TASK', {word, context, status, rest, metadata, artifacts, use of models}, {message, …}, {{head, parts, …}, …}}
-- Globals are found by their names; what is needed seldom is included where it is.
local call, KEYS, ARGV = redis.call, KEYS, ARGV
local most, shows_artifacts, names = tonumber(ARGV[2]), ARGV[3] == '1', ARGV[4]
local most_bytes, watch_ms = tonumber(ARGV[5]), ARGV[6]

-- The owner is checked before anything else is read that may be large: the response time would reveal a foreign task by its size.
local known = call('HMGET', KEYS[1], 'o', 'b', 'z', 'n')
if not known[1] or (ARGV[1] ~= '*' and ARGV[1] ~= known[1]) then return false end

local size, lists = (known[2] or 0) + (known[3] or 0), known[4] or ''
if shows_artifacts and lists ~= names then return { 'AGAIN', lists } end
if size > most_bytes and (most ~= 0 or shows_artifacts) then return { 'LARGE', size } end
if watch_ms ~= '' then
-- @include lib/now.lua
  call('HSET', KEYS[1], 'p', now_ms() + watch_ms, 'x', '1')
end

local messages = {}
if most ~= 0 then
  local later = call('LLEN', KEYS[2])
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
