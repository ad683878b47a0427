-- Commits what a run has yielded: one or more events in one atomic step, or none of them.
-- KEYS  1 task  2 due  3 index
-- ARGV  1 task id  2 fence  3 nonce  4 open states  5 lease, ms  6 ms until the sweep looks for a lost job
--       7 number of the event before these  8 … eight values per event:
--       'S' body, state, states it may follow, timestamp, ms, message, how it leaves the turn:
--           '' it goes on | 'E<ms>' ends the task, which is kept for ms | 'I<ms>' waits for an answer for ms;
--           after a '+' it gives way to messages that came during the turn
--       'A' body, artifact id, head, parts, 'N' new or 'A' append, '', ''
-- Returns {'OK', seq} | {'NEXT', seq, fence, place} the turn gave way to messages that wait
--       | {'GONE' | 'TERMINAL' | 'FENCED' | 'CANCEL'} | {'ILLEGAL', state} | {'UNKNOWN_ARTIFACT', id}
-- @include lib/now.lua
-- @include lib/emit.lua
-- @include lib/index.lua
-- @include lib/enter.lua
-- @include lib/line.lua
-- @include lib/finish.lua
-- @include lib/vacate.lua
-- @include lib/holder.lua
-- @include lib/commit_events.lua
local task, id = KEYS[1], ARGV[1]
local why = refused(task, ARGV[2], ARGV[3], ARGV[4])
if why then return { why } end
if redis.call('HEXISTS', task, 'cancel') == 1 then return { 'CANCEL' } end
why = unfit(task)
if why then return why end

local now, seq = now_ms(), tonumber(redis.call('HGET', task, 'seq'))
-- Only the holder adds events: more than it knows of means that this very commit was made and its reply lost.
if seq > tonumber(ARGV[7]) then return { 'OK', seq } end
redis.call('HSET', task, 'lease', now + ARGV[5])
for at = 8, #ARGV, 8 do
  if ARGV[at] == 'A' then
    put_artifact(task, ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5])
    seq = emit(task, id, ARGV[3], ARGV[at + 1])
  elseif ARGV[at + 7] ~= '' and gives_way(task, ARGV[at + 7]) then
    return { 'NEXT', next_turn(task, at), vacate(task, KEYS[2], id, now, now + ARGV[6]), join_line(task) }
  else
    enter(task, KEYS[3], id, ARGV[at + 2], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6])
    seq = emit(task, id, ARGV[3], ARGV[at + 1])
    leave_turn(task, id, now, ARGV[at + 7])
  end
end
return { 'OK', seq }
