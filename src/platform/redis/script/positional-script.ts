import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { tracedInside } from '../../tracing/traced.js';
import type { RedisClient } from '../redis-client.js';

const INCLUDE = /^-- @include (\S+)$/gm;

/** The reply of a script: string, integer, list or null. */
export type ScriptReply = string | number | null | readonly ScriptReply[];

/**
 * A Lua script in a file of its own. A line `-- @include name.lua` is replaced by that file, so that what several scripts
 * do alike is written once. Runs by its hash, and sends its text only to a server that has not seen it yet.
 */
export class PositionalScript {
  private readonly source: string;
  private readonly sha: string;
  private readonly name: string;
  private readonly spanName: string;

  constructor(file: URL) {
    this.source = readSource(file);
    this.name = basename(file.pathname, '.lua');
    this.spanName = `EVALSHA ${this.name}`;
    this.sha = createHash('sha1').update(this.source).digest('hex');
  }

  /** Inside a recorded span the run has one of its own (OpenTelemetry's database conventions). */
  run(client: RedisClient, keys: readonly string[], args: readonly (string | number)[]): Promise<ScriptReply> {
    return tracedInside(this.spanName, this.spanOptions, () => this.reply(client, keys, args));
  }

  private reply(
    client: RedisClient,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<ScriptReply> {
    const reply = client.evalsha(this.sha, keys.length, ...keys, ...args).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(this.source, keys.length, ...keys, ...args);
    });
    return reply as Promise<ScriptReply>;
  }

  private readonly spanOptions = (): SpanOptions => ({
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'redis',
      'db.operation.name': 'EVALSHA',
      'db.stored_procedure.name': this.name,
    },
  });
}

function readSource(file: URL): string {
  return readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) => readSource(new URL(name, file)));
}
