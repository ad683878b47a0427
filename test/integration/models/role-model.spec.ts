import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ModelCallOptions, ModelReply } from '@parley/sdk/model/model.port.js';
import { ModelBook } from '../../../src/models/choice/model-book.js';
import { RoleModel } from '../../../src/models/choice/role.model.js';
import { readModelsFile } from '../../../src/models/file/models-file.js';
import { LineKeys } from '../../../src/models/line/line.keys.js';
import { ModelLines } from '../../../src/models/line/model-lines.js';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';
import { OpenAiStub, type StubAnswer } from '../../kit/stubs/openai-stub.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'parley-roles-'));
const PATH = join(FOLDER, 'models.json');
const KEY = join(FOLDER, 'key');
const SUN: StubAnswer = { text: 'Sun' };
const BUSY: StubAnswer = { status: 429, retryAfter: '60' };
const DOWN: StubAnswer = { status: 503 };

let redis: RedisClient;
let one: OpenAiStub;
let two: OpenAiStub;
let book: ModelBook;
let lines: ModelLines;

function textOf(more: object = {}): string {
  const price = { in: 1, out: 2 };
  return JSON.stringify({
    providers: {
      first: { type: 'openai-compatible', url: one.url, key: `file:${KEY}`, region: 'us' },
      second: { type: 'openai-compatible', url: two.url, region: 'eu' },
    },
    models: {
      fast: { provider: 'first', id: 'm-1', price, fallback: ['spare'], context: 1_000, answer: 100 },
      spare: { provider: 'second', id: 'm-2', price: { in: 10, out: 20 } },
    },
    default: 'fast',
    ...more,
  });
}

function open(more: object = {}): void {
  writeFileSync(PATH, textOf(more));
  book = new ModelBook({ file: readModelsFile(textOf(more), {}), path: PATH, pollEveryMs: 20 });
}

async function ask({
  role,
  text = 'Weather?',
  ...options
}: Partial<ModelCallOptions> & { role?: string; text?: string } = {}): Promise<ModelReply> {
  const model = new RoleModel({ book, lines: () => lines });
  const port = role === undefined ? model : model.named(role);
  const call = { signal: new AbortController().signal, idempotencyKey: randomUUID(), tenant: 'acme' };
  return port.complete({ messages: [{ role: 'user', text }] }, { ...call, ...options });
}

const asked = () => [one.requests.length, two.requests.length];

function script(first: readonly StubAnswer[], second: readonly StubAnswer[] = []): void {
  one.script(...first);
  two.script(...second);
}

describe(RoleModel.name, () => {
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = connect(testRedisUrl(), 'command');
    [one, two] = await Promise.all([OpenAiStub.start(), OpenAiStub.start()]);
  });

  afterAll(async () => {
    redis.disconnect();
    await Promise.all([one.close(), two.close()]);
    rmSync(FOLDER, { recursive: true });
  });

  beforeEach(() => {
    writeFileSync(KEY, 'sk-one\n');
    lines = new ModelLines(redis, new LineKeys(`test-${randomUUID()}`));
    open();
  });

  afterEach(() => book.close());

  it('is found by its role, the default without one (LLM-16)', async () => {
    script([SUN], [SUN]);
    expect(await ask()).toMatchObject({ model: 'fast', provider: 'openai-compatible' });
    expect(await ask({ role: 'spare' })).toMatchObject({ model: 'spare' });
    await expect(ask({ role: 'slow' })).rejects.toMatchObject({ kind: 'refused' });
    expect(asked()).toEqual([1, 1]);
    expect(one.requests[0]).toMatchObject({ headers: { authorization: 'Bearer sk-one' }, body: { model: 'm-1' } });
  });

  it.each<[string, StubAnswer, string]>([
    ['is down', DOWN, 'unavailable'],
    ['has no capacity', BUSY, 'rate'],
    ['has no money', { status: 402 }, 'spent'],
  ])('asks the next model where one %s, and says so (LLM-17)', async (_what, answer, why) => {
    script([answer], [SUN]);
    const reply = await ask();
    expect(reply).toMatchObject({ text: 'Sun', model: 'spare', tries: [{ model: 'fast', why }] });
    // 11 tokens at 10, 7 at 20.
    expect(reply.micros).toBe(11 * 10 + 7 * 20);
  });

  it('leaves a model alone that has no capacity, and keeps no place of a call that was answered (LLM-17, LLM-18)', async () => {
    script([BUSY], [SUN, SUN]);
    await ask();
    await ask();
    expect(asked()).toEqual([1, 2]);
    expect(await lines.waiting('first')).toBe(0);
  });

  it('says when to come back where none has capacity, and keeps the place of the call (LLM-17, LLM-18)', async () => {
    script([BUSY], [{ status: 429, retryAfter: '20' }]);
    await expect(ask({ idempotencyKey: 'a' })).rejects.toMatchObject({ kind: 'rate', retryAfterMs: 20_000 });
    await expect(ask({ idempotencyKey: 'a' })).rejects.toMatchObject({ kind: 'rate' });
    expect(asked()).toEqual([1, 1]);
    expect([await lines.waiting('first'), await lines.waiting('second')]).toEqual([1, 1]);
  });

  it.each<[string, StubAnswer]>([
    ['refused for what it says', { status: 400 }],
    ['filtered', { status: 400, error: { code: 'content_filter' } }],
  ])('asks no other model for a request that is %s (LLM-17)', async (_what, answer) => {
    script([answer], [SUN]);
    await expect(ask()).rejects.toThrow();
    expect(asked()).toEqual([1, 0]);
  });

  it('asks no other model once a piece was seen (LLM-17)', async () => {
    script([{ text: 'It rains in Oslo', cutAfter: 1 }], [SUN]);
    await expect(ask({ onText: () => undefined })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(asked()).toEqual([1, 0]);
    script([{ text: 'It rains in Oslo', cutAfter: 0 }], [SUN]);
    expect(await ask({ onText: () => undefined })).toMatchObject({ model: 'spare' });
  });

  it('gives the fault of a call where all are down (LLM-17)', async () => {
    script([DOWN], [DOWN]);
    await expect(ask()).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('sends nothing that a model cannot read, and asks one that can (LLM-17)', async () => {
    script([], [SUN]);
    expect(await ask({ text: 'word '.repeat(900) })).toMatchObject({ model: 'spare', tries: [{ why: 'too-long' }] });
    expect(asked()).toEqual([0, 1]);
  });

  it.each([
    ['region', { regions: ['eu'] }],
    ['list of models', { models: ['spare'] }],
  ])('sends nothing of a tenant outside of its %s (LLM-22)', async (_what, rules) => {
    await book.close();
    open({ tenants: { acme: rules, locked: { ...rules, models: ['fast'], regions: ['eu'] } } });
    script([SUN, SUN], [SUN]);
    expect(await ask()).toMatchObject({ model: 'spare' });
    await expect(ask({ tenant: 'locked' })).rejects.toMatchObject({ kind: 'refused' });
    expect(asked()).toEqual([0, 1]);
    expect(await ask({ tenant: 'free' })).toMatchObject({ model: 'fast' });
  });

  it('spends no more of a model than a tenant has for it in a day, and then asks the next one (LLM-21)', async () => {
    await book.close();
    // A call reserves 3 tokens at 1, and 100 at 2: 203 micros.
    open({ tenants: { acme: { daily: { fast: { cost: 0.000_25 } } } } });
    script([SUN, SUN, SUN], [SUN]);
    // 11 + 2 * 7 = 25 each.
    for (const model of ['fast', 'fast', 'spare']) expect(await ask()).toMatchObject({ model });
    expect(await ask({ tenant: 'other' })).toMatchObject({ model: 'fast' });
  });

  it('takes an answer that was cut or canceled from the money of the day (LLM-21)', async () => {
    await book.close();
    open({ tenants: { acme: { daily: { fast: { cost: 0.000_21 } } } } });
    script([{ text: 'It rains in Oslo', cutAfter: 2 }], [SUN]);
    await expect(ask({ onText: () => undefined })).rejects.toMatchObject({ kind: 'unavailable' });
    // The rest does not suffice for another 203 micros.
    expect(await ask()).toMatchObject({ model: 'spare' });
    expect(asked()).toEqual([1, 1]);
  });

  it('takes a changed file and key into force, and leaves a broken file (LLM-16, LLM-23)', async () => {
    book.watch();
    script(
      Array.from({ length: 9 }, () => SUN),
      [SUN],
    );
    writeFileSync(PATH, '{"providers":');
    writeFileSync(PATH, textOf({ default: 'spare' }));
    await eventually(async () => expect(book.current.default.name).toBe('spare'));
    expect(await ask()).toMatchObject({ model: 'spare' });
    writeFileSync(PATH, '{}');
    expect(await ask({ role: 'fast' })).toMatchObject({ model: 'fast' });
    writeFileSync(KEY, 'sk-two\n');
    await eventually(async () => {
      one.script(SUN);
      await ask({ role: 'fast' });
      expect(one.requests[0]?.headers.authorization).toBe('Bearer sk-two');
    });
  });

  it('has an account and a key of its own for a tenant that brings one (LLM-23)', async () => {
    await book.close();
    const own = join(FOLDER, 'own');
    writeFileSync(own, 'sk-acme');
    open({ tenants: { acme: { keys: { first: `file:${own}` } } } });
    script([{ status: 429, retryAfter: '60' }, SUN], [SUN]);
    expect(await ask()).toMatchObject({ model: 'spare' });
    expect(await ask({ tenant: 'other' })).toMatchObject({ model: 'fast' });
    expect(one.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-acme', 'Bearer sk-one']);
  });
});
