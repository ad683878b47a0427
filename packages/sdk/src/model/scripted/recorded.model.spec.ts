import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { recorded } from './recorded.model.js';
import { scripted } from './scripted.model.js';

const OPTIONS = { signal: new AbortController().signal, idempotencyKey: 'k' };
const request = (text: string, maxTokens: number) => ({ messages: [{ role: 'user' as const, text }], maxTokens });

describe(recorded.name, () => {
  it('records a model once, and then answers from the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-recorded-'));
    try {
      const file = join(folder, 'replies.json');
      const reply = await recorded(file, scripted('Rain')).complete(request('Weather?', 100), OPTIONS);
      const replayed = recorded(file);
      expect(await replayed.complete(request('Weather?', 50), OPTIONS)).toEqual(reply);
      await expect(replayed.complete(request('Tomorrow?', 50), OPTIONS)).rejects.toThrow(
        'has no reply to this request',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
