import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { tracedInside } from '../../tracing/traced.js';
import type { RedisClient } from '../connection/redis-client.js';
import { scriptCall } from './script-call.js';
import { type ArgsOf, inputOrder, type InputOrder, type KeysOf, type ScriptInput } from './script-input.js';
import { type FieldNames, scriptText } from './script-text.js';

/** The reply of a script: string, integer, list or null. */
export type ScriptReply = string | number | null | readonly ScriptReply[];

/** The keys of a script, by name. */
export type ScriptKeys<S> = S extends RedisScript<infer D> ? KeysOf<D> : never;
/** The arguments of a script, by name. */
export type ScriptArgs<S> = S extends RedisScript<infer D> ? ArgsOf<D> : never;

/** The input of a script call. */
export interface InputOf<S> {
  readonly keys: ScriptKeys<S>;
  readonly args: ScriptArgs<S>;
}

/**
 * A Lua script in a file, with named keys and arguments. Runs by its hash; sends its text only to a server that does
 * not have it yet.
 */
export class RedisScript<const D extends ScriptInput = ScriptInput> {
  /** The compiled text, as sent to Redis. */
  readonly text: string;
  readonly order: InputOrder;
  private readonly sha: string;
  private readonly name: string;
  private readonly spanName: string;

  /** @param fields stored names of the script's fields, by their names in the sources */
  constructor(
    readonly file: URL,
    input: D,
    fields?: FieldNames,
  ) {
    this.order = inputOrder(input);
    this.text = scriptText(file, this.order, fields);
    this.name = basename(file.pathname, '.lua');
    this.spanName = `EVALSHA ${this.name}`;
    this.sha = createHash('sha1').update(this.text).digest('hex');
  }

  /** Inside a recorded span the run gets a span of its own (OpenTelemetry's database conventions). */
  run(client: RedisClient, keys: KeysOf<D>, args: ArgsOf<D>): Promise<ScriptReply> {
    return tracedInside(this.spanName, this.spanOptions, () => this.reply(client, { keys, args }));
  }

  private reply(
    client: RedisClient,
    named: { readonly keys: KeysOf<D>; readonly args: ArgsOf<D> },
  ): Promise<ScriptReply> {
    const { keys, args } = scriptCall(this.order, named);
    const reply = client.evalsha(this.sha, keys.length, ...keys, ...args).catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(this.text, keys.length, ...keys, ...args);
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

/** Scripts of a folder, by the names of their files. */
export function scriptsIn(folder: URL, fields?: FieldNames) {
  return <const D extends ScriptInput>(name: string, input: D): RedisScript<D> =>
    new RedisScript(new URL(`${name}.lua`, folder), input, fields);
}
