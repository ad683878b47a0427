import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { BinDelivery } from '../../../src/admin/webhook-bins/bin-delivery.js';
import { type BinContent, MAX_BINS, WebhookBins } from '../../../src/admin/webhook-bins/webhook-bins.js';
import { derivedKey } from '../../../src/webhooks/signing/secret-ring.js';
import { eventually } from '../../kit/run/eventually.js';
import { chunkOf, COMPLETED, OWNER, PushBench } from './push-bench.js';

const OWN = { tenant: 'acme', owner: OWNER };

describe(WebhookBins.name, () => {
  /** A replica that serves callers, and one that delivers. */
  let api: PushBench;
  let dispatcher: PushBench;
  let bins: WebhookBins;

  beforeEach(async () => {
    api = await PushBench.start({ receivers: [], isDispatching: false });
    dispatcher = await PushBench.start({ receivers: [], keyPrefix: api.keyPrefix });
    bins = api.get(WebhookBins);
  });
  afterEach(async () => {
    await Promise.all([api.close(), dispatcher.close()]);
  });

  const opened = async (): Promise<string> => {
    const bin = await bins.open(OWN);
    if (bin === undefined) throw new Error('there is no room');
    return bin.url;
  };
  const filled = (seqs: readonly number[]): Promise<BinContent> =>
    eventually(async () => {
      const bin = await bins.read(OWN);
      expect(bin?.deliveries.map(({ seq }) => seq)).toEqual(seqs);
      return bin!;
    });
  /** The key of the bin that a URL names. */
  const keyOf = async (url: string): Promise<string> => {
    const [key = ''] = await api.redis.keys(`${api.keyPrefix}*:bins:${url.slice(-32)}`);
    return key;
  };
  const delivery = (more: Partial<BinDelivery>): Omit<BinDelivery, 'bytes'> => ({
    ...{ taskId: 't', configId: 'bin', webhookId: 'evt', seq: 1, attempt: 1, at: '', headers: {}, body: '' },
    isSigned: true,
    ...more,
  });

  it('has each signed delivery to the webhook of its owner, whichever replica makes it, without secrets', async () => {
    const run = await api.task({
      url: await opened(),
      token: 'the-token',
      authentication: { scheme: 'Basic', credentials: 'the-credentials' },
    });
    await api.commit(run, COMPLETED);
    const { deliveries } = await filled([1, 2, 3]);
    expect(JSON.stringify(deliveries)).not.toMatch(/the-token|the-credentials/);
    const [first] = deliveries;
    expect(first).toMatchObject({
      ...{ taskId: run.taskId, attempt: 1, isSigned: true, webhookId: expect.stringContaining(run.taskId) },
      headers: { authorization: '***', 'x-a2a-notification-token': '***', 'x-a2a-event-seq': '1' },
    });
    const { secret } = derivedKey({ id: 'm1', secret: 'master' }, 'acme', 'crm');
    new Webhook(secret).verify(first?.body ?? '', { ...first?.headers });
    expect((await bins.read(OWN, deliveries[1]?.no))?.deliveries.map(({ seq }) => seq)).toEqual([3]);
    expect(dispatcher.lines.map(({ status, origin }) => [status, origin])).toEqual(
      Array(3).fill([204, 'https://bin.parley.invalid']),
    );
  });

  it('is refused in the same words to other owners, when it is not open, and in any other spelling', async () => {
    const url = await opened();
    const other = await bins.open({ tenant: 'acme', owner: 'client:other' });
    const { taskId } = await api.task();
    const register = (receiver: string): Promise<unknown> => api.register(taskId, { url: receiver });
    const refusal = await register('https://localhost/').catch((error: unknown) => error);
    for (const spelled of [
      ...[other?.url ?? '', `${url}0`, `${url}/`, `${url}?x`, `${url}#x`, 'https://bin.parley.invalid/'],
      ...[url.replace('https', 'http'), url.replace('invalid/', 'invalid:8443/'), url.replace('bin.', 'bin.bin.')],
      ...[url.replace('https://', 'https://a:b@'), url.replace('invalid/', 'invalid./')],
    ]) {
      await expect(register(spelled)).rejects.toEqual(refusal);
    }
    await register(url);
    await api.redis.del(await keyOf(url));
    await expect(register(url)).rejects.toEqual(refusal);
  });

  it('stops a webhook when it has expired, and has numbers behind those before when it is opened again', async () => {
    const url = await opened();
    const run = await api.task({ url });
    const { deliveries } = await filled([1, 2]);
    const { redis } = api;
    const key = await keyOf(url);
    expect(await redis.pttl(key)).toBeGreaterThan(3_500_000);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(3_600_000);
    await redis.del(key);
    expect(await bins.read(OWN)).toBeUndefined();
    await api.commit(run, COMPLETED);
    await eventually(async () => {
      const letters = await api.deadLetters.list({ taskId: run.taskId }, 10);
      expect(letters).toMatchObject([{ scope: 'webhook', reason: 'http_410', origin: 'https://bin.parley.invalid' }]);
    });
    expect(await opened()).toBe(url);
    const again = await api.task({ url });
    const later = await filled([1, 2]);
    expect(later.deliveries[0]?.taskId).toBe(again.taskId);
    expect(later.deliveries[0]?.no).toBeGreaterThan(deliveries[1]?.no ?? Infinity);
  });

  it('keeps the newest fifty and at most 512 KiB, and of each the beginning of its body', async () => {
    const url = await opened();
    for (let seq = 1; seq <= 60; seq += 1) await bins.take('acme', url, delivery({ seq }));
    expect((await bins.read(OWN))?.deliveries.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 50 }, (_unused, at) => at + 11),
    );
    // Each of these characters has six in JSON.
    for (let seq = 61; seq <= 70; seq += 1) {
      await bins.take('acme', url, delivery({ seq, body: '\u0001'.repeat(1_000_000) }));
    }
    const kept = (await bins.read(OWN))?.deliveries ?? [];
    expect(kept.map(({ seq }) => seq)).toEqual([69, 70]);
    expect(kept[0]).toMatchObject({ bytes: 1_000_000, body: '\u0001'.repeat(32 * 1024) });
    const { redis } = api;
    expect(await redis.memory('USAGE', await keyOf(url))).toBeLessThan(700 * 1024);
  });

  it('says that a signature is right though the body that it shows is cut', async () => {
    const run = await api.task({ url: await opened() });
    await api.commit(run, chunkOf('x'.repeat(100_000), 'first'));
    const { deliveries } = await filled([1, 2, 3]);
    expect(deliveries[2]).toMatchObject({ isSigned: true });
    expect(deliveries[2]?.bytes).toBeGreaterThan(100_000);
    expect(deliveries[2]?.body).toHaveLength(32 * 1024);
  });

  it('is given to so many owners of a tenant at once, and to the next when one has expired', async () => {
    const open = (owner: string, tenant = 'acme') => bins.open({ tenant, owner });
    const all = await Promise.all(Array.from({ length: MAX_BINS + 5 }, (_unused, at) => open(String(at))));
    expect(all.filter((bin) => bin !== undefined)).toHaveLength(MAX_BINS);
    expect(await open('0')).toBeDefined();
    expect(await open('0', 'other')).toBeDefined();
    expect(await open('late')).toBeUndefined();
    const { redis } = api;
    const keys = await redis.keys(`${api.keyPrefix}*:bins`);
    for (const key of keys) await redis.zadd(key, 1, (await redis.zrange(key, '0', '0'))[0] ?? '');
    expect(await open('late')).toBeDefined();
  });
});
