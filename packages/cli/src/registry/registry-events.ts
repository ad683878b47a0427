import { setTimeout as pause } from 'node:timers/promises';
import { printableJson } from '@parley/protocol/json/printable.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { invalidAnswer, RemoteError } from '@parley/client/http/remote-errors.js';
import type { JsonApi } from '@parley/client/call/json-api.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { SseEvent } from '@parley/protocol/binding/sse-reader.js';
import { usageError } from '../context/cli-error.js';
import type { CommandContext } from '../context/command-context.js';
import { newsLine } from './registry-lines.js';

/** Streams that fail in a row without an event before the command gives up. */
const MAX_FAILURES = 5;
const LONGEST_PAUSE_MS = 5_000;

/** Prints the changes of agents as they come. @throws RemoteError */
export async function followEvents(registry: JsonApi, { flags, output, streams }: CommandContext): Promise<void> {
  const after = typeof flags.after === 'string' ? flags.after : undefined;
  let left = countOf(flags.count);
  for await (const { id, data } of resumed(registry, after)) {
    const news = newsIn(data);
    streams.out(`${output.isJson ? printableJson({ id, ...news }) : newsLine(news)}\n`);
    left -= 1;
    if (left === 0) return;
  }
}

/** The events of a registry: a stream that ends is opened again behind the last one. */
async function* resumed(registry: JsonApi, from: string | undefined): AsyncGenerator<SseEvent> {
  let after = from;
  for (let ends = 0; ; ends += 1) {
    if (ends > 0) await pause(Math.min(250 * 2 ** ends, LONGEST_PAUSE_MS));
    try {
      for await (const event of registry.events('events', after)) {
        ends = 0;
        after = event.id;
        yield event;
      }
    } catch (error) {
      const mayRepeat = error instanceof RemoteError && error.isRetryable && after !== undefined;
      if (!mayRepeat || ends >= MAX_FAILURES) throw error;
    }
  }
}

function newsIn(data: string): JsonObject {
  try {
    const value: unknown = JSON.parse(data);
    if (isJsonObject(value)) return value;
  } catch {
    // Said below.
  }
  throw invalidAnswer('An event of the registry is no JSON object');
}

function countOf(text: unknown): number {
  if (text === undefined) return Infinity;
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw usageError('--count must be a whole number');
}
