-- Entries of an owner's tasks in the given sets, youngest status first.
-- Input
--   sets …       sets of entries, '<ms>:<id>'
--   newest       newest entry, as ZREVRANGEBYLEX takes it
--   oldest       oldest entry, likewise
--   max_entries  most entries
-- Output
--   {total number, entry, …}
local most = tonumber(max_entries)
-- Tasks are spread over the shards at random: hardly any shard has two and a half times its share of a page.
local entries, sets, share, total = {}, {}, 0, 0

local function ask(set, newest)
  local some = redis.call('ZREVRANGEBYLEX', set.key, newest, oldest, 'LIMIT', '0', tostring(share))
  for _, entry in ipairs(some) do entries[#entries + 1] = entry end
  set.last = #some == share and some[share] or nil
end

-- Queries those sets again that returned their whole share, if all of it is on the page.
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

for at = sets_from, sets_to do
  local key = KEYS[at]
  local size = oldest == '-' and redis.call('ZCARD', key) or redis.call('ZLEXCOUNT', key, oldest, '+')
  total = total + size
  if size > 0 and most > 0 then sets[#sets + 1] = { key = key } end
end
share = math.min(most, math.ceil(most / #sets * 2.5))
for _, set in ipairs(sets) do ask(set, newest) end
repeat table.sort(entries) until most == 0 or not ask_again()
local page = { total }
for at = #entries, math.max(1, #entries - most + 1), -1 do page[#page + 1] = entries[at] end
return page
