-- Bytes of a webhook of a task: field 'bytes:<config id>' of the push hash has the counted part. Counting again is
-- always right.
-- @include ../record/bytes.lua

-- Overhead of the fields of a cursor, besides its id in their names, and of a dead letter, likewise.
local CURSOR_BYTES, LETTER_BYTES = 500, 700

local function count_hook(task_key, push_key, hook, bytes_key)
  local counted = tonumber(redis.call('HGET', push_key, 'bytes:' .. hook) or 0)
  local config = redis.call('HSTRLEN', push_key, 'config:' .. hook)
  local _, letters = string.gsub(redis.call('HGET', push_key, 'letters:' .. hook) or '', '%d+', '')
  local bytes = letters * (LETTER_BYTES + 2 * #hook)
  if config > 0 then bytes = bytes + config + redis.call('HSTRLEN', push_key, 'body:' .. hook) + CURSOR_BYTES + 10 * #hook end
  if bytes == counted then return end
  if bytes == 0 then redis.call('HDEL', push_key, 'bytes:' .. hook) else redis.call('HSET', push_key, 'bytes:' .. hook, bytes) end
  count_bytes(task_key, bytes_key, bytes - counted)
end
