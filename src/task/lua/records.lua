-- Tasks as far as lists show them, until a page is full.
-- KEYS  1 … tasks; each is followed by its history if messages are shown
-- ARGV  1 messages of history, -1 for all
--       2 '1' with artifacts
--       3 bytes after which no further task is added
-- Returns for each task of the page {word, context, status, metadata, use of models, bytes of its journal} and, with messages or
-- artifacts, {…, names of its artifacts, artifacts, {message, …}}, where artifacts is 'LARGE' for a task that does not fit and is
-- read apart; all of it is false where the task is gone
local most, has_artifacts = tonumber(ARGV[1]), ARGV[2] == '1'
local is_whole = most ~= 0 or has_artifacts
local fields = { 's', 'c', 't', 'm', 'mu', 'jb', 'g' }
if is_whole then fields[8], fields[9], fields[10] = 'n', 'b', 'z' end

local function messages_of(key, list)
  local messages, later = {}, redis.call('LLEN', list)
  if most < 0 or most > later then messages[1] = redis.call('HGET', key, 'h') end
  if later == 0 then return messages end
  for _, message in ipairs(redis.call('LRANGE', list, most < 0 and 0 or -math.min(most, later), -1)) do
    messages[#messages + 1] = message
  end
  return messages
end

local records, bytes, step = {}, 0, most ~= 0 and 2 or 1
for n = 1, #KEYS, step do
  local f = redis.call('HMGET', KEYS[n], unpack(fields))
  if f[1] then
    bytes = bytes + 200 + #f[3] + #(f[7] or f[4] or '') + (f[9] or 0) + (f[10] or 0)
    -- One task at least, however large.
    if n > 1 and bytes > tonumber(ARGV[3]) then break end
    f[4], f[7], f[9], f[10] = f[7] or f[4], f[8], nil, nil
    if is_whole and bytes > tonumber(ARGV[3]) then
      f[8], f[9] = 'LARGE', {}
    elseif is_whole then
      f[8] = has_artifacts and redis.call('HGET', KEYS[n], 'a')
      f[9] = most ~= 0 and messages_of(KEYS[n], KEYS[n + 1]) or {}
    end
  end
  records[#records + 1] = f
end
return records
