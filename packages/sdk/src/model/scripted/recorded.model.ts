import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ModelPort, ModelReply, ModelRequest } from '../model.port.js';

/** Replies by the digest of their request. */
type Recording = Record<string, ModelReply>;

/**
 * A model that answers from a file, for tests. A request that the file does not have goes to `model` and is recorded; without `model` it
 * is an error. Record once with a model at hand, and keep the file beside the test.
 */
export function recorded(file: string, model?: ModelPort): ModelPort {
  const recording: Recording = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recording) : {};
  return {
    name: model?.name ?? 'recorded',
    async complete(request, options) {
      const digest = digestOf(request);
      const known = recording[digest];
      if (known !== undefined) {
        if (known.text !== '') options.onText?.(known.text);
        return known;
      }
      if (model === undefined) throw new Error(`${file} has no reply to this request: record it with a model`);
      const reply = await model.complete(request, options);
      recording[digest] = reply;
      writeFileSync(file, `${JSON.stringify(recording, undefined, 2)}\n`);
      return reply;
    },
  };
}

/** Without its limit of tokens, which is the rest of a budget. */
function digestOf({ maxTokens: _maxTokens, ...request }: ModelRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16);
}
