-- Reads fields of a task for its owner or its tenant. Nothing of a foreign task is read or returned, so that neither
-- the reply nor its time tells it from a missing one.
-- Input
--   task_key
--   owner     owner, or '' to ask for the tenant
--   tenant    tenant's name, or '' to ask for the owner
--   fields …  fields to return
-- Output
--   {value, …}, or nil when the task is missing or foreign
if owner ~= '' then
  if redis.call('HGET', task_key, field.owner) ~= owner then return nil end
else
  local traits = redis.call('HGET', task_key, field.traits)
  if not traits or string.sub(traits, 1, #tenant + 1) ~= tenant .. ' ' then return nil end
end
return redis.call('HMGET', task_key, unpack(ARGV, fields_from))
