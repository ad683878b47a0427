import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './redis-client.js';

const INCLUDE = /^-- @include (\S+)$/gm;

/** What a script may answer: Redis knows texts, integers, lists and nothing. */
export type ScriptReply = string | number | null | readonly ScriptReply[];

/**
 * A Lua script in a file of its own. A line `-- @include name.lua` is replaced by that file, so that what several scripts
 * do alike is written once. Runs by its hash, and sends its text only to a server that has not seen it yet.
 */
export class RedisScript {
  private readonly source: string;
  private readonly sha: string;

  constructor(file: URL) {
    this.source = readSource(file);
    this.sha = createHash('sha1').update(this.source).digest('hex');
  }

  async run(client: RedisClient, keys: readonly string[], args: readonly (string | number)[]): Promise<ScriptReply> {
    try {
      return (await client.evalsha(this.sha, keys.length, ...keys, ...args)) as ScriptReply;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await client.eval(this.source, keys.length, ...keys, ...args)) as ScriptReply;
    }
  }
}

function readSource(file: URL): string {
  return readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) => readSource(new URL(name, file)));
}
