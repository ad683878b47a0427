-- Commits what a run has yielded: one or more events in one atomic step, or none of them.
-- KEYS  1 task  2 due
-- ARGV  1 task id  2 fence  3 nonce  4 open states  5 lease, ms  6 ms until the sweep looks for a lost job
--       7 number of the event before these  8 … eight values per event:
--       'S' body, state, states it may follow, timestamp, ms, message, how it leaves the turn:
--           '' it goes on | 'E<ms>' ends the task, which is kept for ms | 'I<ms>' waits for an answer for ms;
--           after a '+' it gives way to messages that came during the turn
--       'A' body, artifact id, head, parts, 'N' new or 'A' append, '', ''
-- Returns {'OK', seq} | {'NEXT', seq, fence, place} the turn gave way to messages that wait
--       | {'GONE' | 'TERMINAL' | 'FENCED' | 'CANCEL'} | {'ILLEGAL', state} | {'UNKNOWN_ARTIFACT', id}
-- @include lib/record.lua
-- @include lib/hold.lua
-- @include lib/line.lua
-- @include lib/inbox.lua
-- @include lib/enter.lua
-- @include lib/finish.lua
-- @include lib/commit_events.lua
local t, now = read_task(KEYS[1], ARGV[1]), now_ms()
local why = refused(t, ARGV[2], ARGV[3], ARGV[4])
if why then return { why } end
if t.cancel ~= '' then return { 'CANCEL' } end
why = unfit(t)
if why then return why end
-- Only the holder adds events: more than it knows of means that this very commit was made and its reply lost.
if tonumber(t.seq) > tonumber(ARGV[7]) then return { 'OK', tonumber(t.seq) } end

put(t, 'lease', now + ARGV[5])
local reply
for at = 8, #ARGV, 8 do
  if ARGV[at] == 'A' then
    put_artifact(t, ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5])
    tell(t, ARGV[3], ARGV[at + 1])
  elseif ARGV[at + 7] ~= '' and gives_way(t, ARGV[at + 7]) then
    begin_next_turn(t, ARGV[at + 6])
    local fence = vacate(t, KEYS[2], now, now + ARGV[6])
    local place = join_line(t, 0)
    reply = { 'NEXT', tonumber(t.seq), fence, place }
  else
    enter(t, ARGV[at + 2], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6])
    tell(t, ARGV[3], ARGV[at + 1])
    leave_turn(t, KEYS[2], now, ARGV[at + 7])
  end
end
save_task(t)
return reply or { 'OK', t.seq }
