import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/main/app.environment.js';
import { runApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';
import { say } from '../../contract/openai/docs/say.js';

const TEXT = readFileSync('docs/openai.md', 'utf8');

describe('docs/openai.md', () => {
  it('has a client that gets the answer of a skill', async () => {
    expect(TEXT).toContain(readFileSync('test/contract/openai/docs/say.ts', 'utf8').trim());
    const service = await runApp({ OPENAI: 'true' });
    try {
      expect(await say(`${service.url}/openai/v1`, 'any', 'echo', 'Hello')).toBe('Hello');
    } finally {
      await service.close();
    }
  });

  it('names settings that exist', () => {
    const { openai } = loadConfig({ PARLEY_FILE: settingsFile({ openai: { ignoreStore: true } }) });
    const named = [...TEXT.matchAll(/`openai\.(\w+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in openai))).toEqual([]);
  });
});
