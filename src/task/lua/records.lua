-- Tasks as far as lists show them, until a page is full.
-- KEYS  1 … task and history of each
-- ARGV  1 messages of history, -1 for all
--       2 '1' with artifacts
--       3 bytes after which no further task is added
-- Returns for each task of the page {word, context, status, metadata, names of its artifacts, artifacts, {message, …}, use of
--       models}; all of it is false where the task is gone
local records, bytes, most = {}, 0, tonumber(ARGV[1])
for n = 1, #KEYS, 2 do
  local f = redis.call('HMGET', KEYS[n], 's', 'c', 't', 'm', 'n', 'b', 'z', 'g', 'mu')
  if f[1] then
    f[4] = f[8] or f[4]
    bytes = bytes + 200 + #f[3] + #(f[4] or '') + ((most ~= 0 or ARGV[2] == '1') and (f[6] or 0) + (f[7] or 0) or 0)
    -- One task at least, however large.
    if n > 1 and bytes > tonumber(ARGV[3]) then break end
    local messages = {}
    if most ~= 0 then
      local later = redis.call('LLEN', KEYS[n + 1])
      if most < 0 or most > later then messages[1] = redis.call('HGET', KEYS[n], 'h') end
      if later > 0 then
        for _, message in ipairs(redis.call('LRANGE', KEYS[n + 1], most < 0 and 0 or -math.min(most, later), -1)) do
          messages[#messages + 1] = message
        end
      end
    end
    f[8], f[9] = f[9], nil
    f[6], f[7] = ARGV[2] == '1' and redis.call('HGET', KEYS[n], 'a'), messages
  end
  records[#records + 1] = f
end
return records
