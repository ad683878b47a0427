import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readModelsFile } from './models-file.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'parley-models-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const VARIABLES = { OPENAI_EU: 'sk-eu', TORN: 'sk-a\nsk-b' };
const FILE = {
  providers: {
    'openai-eu': { type: 'openai', url: 'https://eu.api.openai.com/v1', key: 'env:OPENAI_EU', region: 'eu' },
    house: { type: 'openai-compatible', url: 'http://vllm.internal:8000/v1', region: 'eu' },
  },
  models: {
    fast: { provider: 'openai-eu', id: 'gpt-x-mini', price: { in: 0.25, cached: 0.03, out: 2 }, fallback: ['house-m'] },
    'house-m': { provider: 'house', id: 'm-32b', context: 128_000 },
  },
  default: 'fast',
  tenants: { acme: { regions: ['eu'], models: ['fast'], daily: { fast: { cost: 20 } }, weight: 2 } },
};

const read = (more: object = {}) => readModelsFile(JSON.stringify({ ...FILE, ...more }), VARIABLES);
const faults = (more: object): string => {
  try {
    read(more);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe(readModelsFile.name, () => {
  it('reads models by role, their accounts and rules of tenants (LLM-16)', () => {
    const { models, default: standard, tenants } = read();
    expect([...models.keys()]).toEqual(['fast', 'house-m']);
    expect(standard).toMatchObject({ name: 'fast', id: 'gpt-x-mini', fallback: ['house-m'], firstMs: 120_000 });
    expect(standard.provider).toMatchObject({ name: 'openai-eu', key: { text: 'sk-eu' }, region: 'eu' });
    expect(tenants.get('acme')?.daily.get('fast')).toBe(20);
  });

  it('reads the file of the documentation', () => {
    const [, block = ''] = /^```json\n(.*?)^```$/ms.exec(readFileSync('docs/models-file.md', 'utf8')) ?? [];
    const here = block.replace('file:/run/secrets/anthropic', 'env:OPENAI_EU');
    const { models } = readModelsFile(here, { OPENAI_EU: 'sk-eu', OPENAI_ACME: 'sk-acme' });
    expect([...models.keys()]).toEqual(['fast', 'strong', 'house-m']);
  });

  it('reads keys from files, without their line end (LLM-23)', () => {
    const file = join(FOLDER, 'key');
    writeFileSync(file, 'sk-file\n');
    const providers = { ...FILE.providers, house: { ...FILE.providers.house, key: `file:${file}` } };
    expect(read({ providers }).models.get('house-m')?.provider.key).toEqual({ text: 'sk-file', file });
  });

  it.each<[string, object, RegExp]>([
    ['an unknown member', { more: 1 }, /^more: /],
    [
      'an unknown member of a model',
      { models: { ...FILE.models, a: { ...FILE.models.fast, k: 1 } } },
      /^models\.a\.k: /,
    ],
    ['an unknown kind', { providers: { ...FILE.providers, x: { type: 'magic' } } }, /^providers\.x\.type: /],
    [
      'a missing address',
      { providers: { ...FILE.providers, x: { type: 'openai-compatible' } } },
      /^providers\.x\.url: is missing/,
    ],
    ['a missing key', { providers: { ...FILE.providers, x: { type: 'anthropic' } } }, /^providers\.x\.key: is missing/],
    [
      'a key in the file',
      { providers: { ...FILE.providers, x: { type: 'openai', key: 'sk-x' } } },
      /providers\.x\.key: must be env:NAME or file:/,
    ],
    [
      'a key that is not set',
      { providers: { ...FILE.providers, x: { type: 'openai', key: 'env:GONE' } } },
      /providers\.x\.key: env:GONE is not set/,
    ],
    [
      'a key of two lines',
      { providers: { ...FILE.providers, x: { type: 'openai', key: 'env:TORN' } } },
      /providers\.x\.key: env:TORN is not one line/,
    ],
    [
      'an unknown provider',
      { models: { ...FILE.models, a: { provider: 'b', id: 'c' } } },
      /models\.a\.provider: there is no provider "b"/,
    ],
    [
      'an unknown fallback',
      { models: { ...FILE.models, a: { ...FILE.models.fast, fallback: ['b'] } } },
      /models\.a\.fallback: there is no model "b"/,
    ],
    [
      'a loop of one',
      { models: { ...FILE.models, a: { ...FILE.models.fast, fallback: ['a'] } } },
      /models\.a\.fallback: a model is no fallback of its own/,
    ],
    ['no default', { default: undefined }, /^default: must name one of several models/],
    ['an unknown default', { default: 'slow' }, /^default: there is no model "slow"/],
    [
      'a region without a provider',
      { tenants: { acme: { regions: ['us'] } } },
      /tenants\.acme\.regions: there is no provider in region "us"/,
    ],
    [
      'a budget of no model',
      { tenants: { acme: { daily: { slow: { cost: 1 } } } } },
      /tenants\.acme\.daily: there is no model "slow"/,
    ],
    [
      'a price of -1',
      { models: { ...FILE.models, a: { ...FILE.models.fast, price: { in: -1, out: 0 } } } },
      /models\.a\.price\.in: must be an amount/,
    ],
    ['a name of capitals', { models: { ...FILE.models, Fast: FILE.models.fast } }, /models\.Fast: the name must be/],
    ['an array', { models: { ...FILE.models, a: [] } }, /models\.a must be a JSON object/],
  ])('names the position of %s (LLM-16)', (_what, more, line) => {
    const text = faults(more);
    expect(text).toMatch(line);
    expect(text).not.toMatch(/sk-/);
  });

  it('names all faults at once, and takes 200 models (LLM-16)', () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`m${String(at)}`, { provider: 'gone', id: 'x' }]),
    );
    expect(faults({ models: { ...FILE.models, ...many } }).split('\n')).toHaveLength(200);
    const fine = Object.fromEntries(
      Object.entries(many).map(([name, model]) => [name, { ...model, provider: 'house' }]),
    );
    expect(read({ models: { ...FILE.models, ...fine } }).models.size).toBe(202);
  });
});
