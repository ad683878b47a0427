import { createHash } from 'node:crypto';

/**
 * Runs before a script, and refuses commands on keys that the script was not given, as ElastiCache Serverless and Dragonfly
 * do. BullMQ builds keys of its jobs: those in the hash slot of a key that it was given pass, as with Dragonfly's
 * --lock_on_hashtags.
 */
const GUARD = `local redis = (function(real, keys)
  local given, tags = {}, {}
  for _, key in ipairs(keys) do
    given[key] = true
    local tag = string.match(key, '^{[^}]+}')
    if tag then tags[tag] = true end
  end
  local none = { TIME = true, PUBLISH = true, PING = true, INFO = true }
  local every = { DEL = true, UNLINK = true, EXISTS = true, MGET = true, TOUCH = true }
  local function check(name, ...)
    name = string.upper(name)
    if none[name] then return end
    local words = { ... }
    for at = 1, every[name] and #words or 1 do
      local key = tostring(words[at])
      local tag = string.match(key, '^{[^}]+}')
      if not given[key] and not (tag and tags[tag]) then
        error('Script attempted to access a key that it does not declare: ' .. name .. ' ' .. key)
      end
    end
  end
  return setmetatable({
    call = function(...) check(...) return real.call(...) end,
    pcall = function(...) check(...) return real.pcall(...) end,
  }, { __index = real })
end)(redis, KEYS)
`;

/** Scripts as a strict server runs them, by the hash under which the client knows them. */
export class StrictScripts {
  private readonly texts = new Map<string, string>();

  /** Learns a script; returns what is sent in its place. */
  learn(text: string): string {
    const guarded = `${GUARD}${text}`;
    this.texts.set(createHash('sha1').update(text).digest('hex'), guarded);
    return guarded;
  }

  /** The guarded text of a script; undefined where the server would not know it. */
  find(sha: string): string | undefined {
    return this.texts.get(sha);
  }
}
