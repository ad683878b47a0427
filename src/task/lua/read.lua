-- The current task, in one step, so that all parts belong to one sequence number. Returned in pieces that the caller joins:
-- Redis would hash every string that a script creates, byte by byte.
-- KEYS  1 task
--       2 history
--       3 … its artifacts, as far as they are lists
-- ARGV  1 owner, or '*' for the service itself
--       2 messages of history, -1 for all
--       3 '1' with artifacts
--       4 names of its artifacts as the caller knows them
--       5 most bytes, beyond which it must be read in steps
--       6 ms for which the caller wants to hear of events, '' for not at all
-- Returns false, where it is missing or foreign | {'AGAIN', names of its artifacts} | {'LARGE'}
--       | {'TASK', {word, context, status, rest, metadata, artifacts, use of models}, {message, …}, {{head, parts, …}, …}}
-- @include lib/now.lua
-- Checked before anything else is read: otherwise the response time would reveal a foreign task by its size.
local owner = redis.call('HGET', KEYS[1], 'o')
if not owner or (ARGV[1] ~= '*' and ARGV[1] ~= owner) then return false end

local size = redis.call('HMGET', KEYS[1], 'b', 'z', 'n')
if ARGV[3] == '1' and (size[3] or '') ~= ARGV[4] then return { 'AGAIN', size[3] or '' } end
if (size[1] or 0) + (size[2] or 0) > tonumber(ARGV[5]) and (ARGV[2] ~= '0' or ARGV[3] == '1') then return { 'LARGE' } end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'p', now_ms() + ARGV[6], 'x', '1') end

local messages, most = {}, tonumber(ARGV[2])
if most ~= 0 then
  local later = redis.call('LLEN', KEYS[2])
  if most < 0 or most > later then messages[1] = redis.call('HGET', KEYS[1], 'h') end
  if later > 0 then
    for _, message in ipairs(redis.call('LRANGE', KEYS[2], most < 0 and 0 or -math.min(most, later), -1)) do
      messages[#messages + 1] = message
    end
  end
end
local artifacts, joined = {}, false
if ARGV[3] == '1' then
  joined = redis.call('HGET', KEYS[1], 'a')
  for n = 3, #KEYS do artifacts[n - 2] = redis.call('LRANGE', KEYS[n], 0, -1) end
end
local f = redis.call('HMGET', KEYS[1], 's', 'c', 't', 'j', 'm', 'g', 'mu')
-- The metadata of a later message replaces that of the first.
f[5], f[6] = f[6] or f[5], joined
return { 'TASK', f, messages, artifacts }
