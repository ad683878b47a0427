-- Entries of an owner's tasks, youngest status first: of the sets that it is given.
-- KEYS  1 … sets of entries, '<ms>:<id>'
-- ARGV  1 newest entry, as ZREVRANGEBYLEX takes it
--       2 oldest entry, likewise
--       3 most entries
-- Returns {how many there are in all, entry, …}
local most = tonumber(ARGV[3])
-- Tasks are spread over the shards at random: hardly any shard has two and a half times its share of a page.
local entries, sets, share, total = {}, {}, 0, 0

local function ask(set, newest)
  local some = redis.call('ZREVRANGEBYLEX', set.key, newest, ARGV[2], 'LIMIT', '0', tostring(share))
  for _, entry in ipairs(some) do entries[#entries + 1] = entry end
  set.last = #some == share and some[share] or nil
end

-- Asks those sets again that returned their whole share, if all of it is on the page.
local function ask_again()
  local cut, asked = entries[#entries - most + 1] or '', false
  for _, set in ipairs(sets) do
    if set.last and set.last > cut then
      ask(set, '(' .. set.last)
      asked = true
    end
  end
  return asked
end

for _, key in ipairs(KEYS) do
  local size = ARGV[2] == '-' and redis.call('ZCARD', key) or redis.call('ZLEXCOUNT', key, ARGV[2], '+')
  total = total + size
  if size > 0 and most > 0 then sets[#sets + 1] = { key = key } end
end
share = math.min(most, math.ceil(most / #sets * 2.5))
for _, set in ipairs(sets) do ask(set, ARGV[1]) end
repeat table.sort(entries) until most == 0 or not ask_again()
local page = { total }
for at = #entries, math.max(1, #entries - most + 1), -1 do page[#page + 1] = entries[at] end
return page
