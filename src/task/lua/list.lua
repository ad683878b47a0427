-- A page of an owner's tasks, youngest status first: of the shards whose sets it is given.
-- KEYS  1 … the set of each shard, as lib/index.lua keeps them
-- ARGV  1 newest place, as ZREVRANGEBYLEX takes it  2 oldest place, likewise  3 most tasks
--       4 messages of history, -1 for all; '' for places without tasks  5 '1' with artifacts
-- Returns {how many there are in all, a line for each: '<place> <task>'}; of a task that is gone, its place only
-- @include lib/shown.lua
local most = tonumber(ARGV[3])
-- Tasks lie in shards by chance: of a page, hardly any shard has two and a half times its share.
local share = math.min(most, math.ceil(most / #KEYS * 2.5))
local places, sets, shards, total = {}, {}, {}, 0

local function ask(set, newest)
  local some = redis.call('ZREVRANGEBYLEX', set.key, newest, ARGV[2], 'LIMIT', '0', tostring(share))
  for _, place in ipairs(some) do places[#places + 1] = place end
  set.last = #some == share and some[share] or nil
end

-- Asks those again that have given their share, all of it for the page.
local function ask_again()
  local cut, asked = places[#places - most + 1] or '', false
  for _, set in ipairs(sets) do
    if set.last and set.last > cut then
      ask(set, '(' .. set.last)
      asked = true
    end
  end
  return asked
end

local function add_line(pieces, place)
  pieces[#pieces + 1] = #pieces == 0 and place or '\n' .. place
  if ARGV[4] == '' then return end
  local id = string.sub(place, 15)
  local task = shards[string.sub(id, 1, 2)] .. ':task:' .. id
  local fields = redis.call('HMGET', task, unpack(SHOWN))
  if not fields[1] then return end
  pieces[#pieces + 1] = ' '
  add_task(pieces, task, id, fields, ARGV[4], ARGV[5])
end

for at, key in ipairs(KEYS) do
  total = total + (ARGV[2] == '-' and redis.call('ZCARD', key) or redis.call('ZLEXCOUNT', key, ARGV[2], '+'))
  local shard, number = string.match(key, '^(.-{s(%x%x)}):index:')
  shards[number] = shard
  sets[at] = { key = key }
  ask(sets[at], ARGV[1])
end
repeat table.sort(places) until not ask_again()
local pieces = {}
for at = #places, math.max(1, #places - most + 1), -1 do add_line(pieces, places[at]) end
return { total, table.concat(pieces) }
