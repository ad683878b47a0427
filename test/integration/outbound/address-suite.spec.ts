import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllowList } from '../../../src/outbound/allow-list.js';
import { EgressPolicy } from '../../../src/outbound/egress-policy.js';
import { BlockedAddressError } from '../../../src/outbound/egress.errors.js';
import { GuardedClient } from '../../../src/outbound/guarded-client.js';
import type { Resolve } from '../../../src/outbound/resolver.js';
import { ATTACKS, HARMLESS_URLS, NAME_ATTACKS, REBINDING_ATTACKS, type NameCase } from './attack-cases.js';
import { CountingListener } from './counting-listener.js';

/** Answers each question for a name with the next of its answers; the last one stays. */
function stubResolver(names: readonly NameCase[]): Resolve {
  const asked = new Map<string, number>();
  return (host) => {
    const answers = names.find((name) => name.host === host)?.answers ?? [];
    const turn = asked.get(host) ?? 0;
    asked.set(host, turn + 1);
    const answer = answers[Math.min(turn, answers.length - 1)] ?? [];
    return answer.length === 0 ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(answer);
  };
}

describe('address policy (A2A-PN-09, A2A-PCFG-11, SEED-15)', () => {
  const listener = new CountingListener();
  let port = 0;
  let client: GuardedClient;
  const at = (url: string): string => url.replaceAll('{port}', String(port));

  beforeAll(async () => {
    port = await listener.listen();
    const resolve = stubResolver([...NAME_ATTACKS, ...REBINDING_ATTACKS]);
    client = new GuardedClient({ ports: [port], allowHttp: true, allow: [], resolve });
  });
  afterAll(async () => {
    await client.close();
    await listener.close();
  });

  it('covers at least 120 cases', () => {
    expect(ATTACKS.length + NAME_ATTACKS.length + REBINDING_ATTACKS.length).toBeGreaterThanOrEqual(120);
  });

  describe.each(ATTACKS)('$title', ({ url }) => {
    it('is refused at registration and at delivery', async () => {
      expect((await client.judge(at(url))).allowed).toBe(false);
      await expect(client.request({ method: 'POST', url: at(url), body: '{}' })).rejects.toThrow(BlockedAddressError);
    });
  });

  describe.each(NAME_ATTACKS)('$title', ({ host }) => {
    it('is refused at registration and at delivery', async () => {
      const url = `http://${host}:${String(port)}/hook`;
      expect(await client.judge(url)).toEqual({ allowed: false, reason: 'blocked_address' });
      await expect(client.request({ method: 'POST', url, body: '{}' })).rejects.toThrow(BlockedAddressError);
    });
  });

  describe.each(REBINDING_ATTACKS)('$title', ({ host }) => {
    it('passes at registration and is refused at delivery', async () => {
      const url = `http://${host}:${String(port)}/hook`;
      expect((await client.judge(url)).allowed).toBe(true);
      await expect(client.request({ method: 'POST', url, body: '{}' })).rejects.toThrow(BlockedAddressError);
    });
  });

  it('has opened no socket at all for any of them', () => {
    expect({ dialled: listener.dialled, connections: listener.connections }).toEqual({ dialled: 0, connections: 0 });
  });

  it('counts the socket of an allowed target, so the zero above means something', async () => {
    const allow = parseAllowList(`127.0.0.1:${String(port)}=127.0.0.1/32!http`);
    const open = new GuardedClient({ ports: [443], allowHttp: false, allow });
    await open.request({ method: 'POST', url: `http://127.0.0.1:${String(port)}/hook`, body: '{}' });
    await open.close();
    expect(listener.connections).toBe(1);
    // Sockets of other suites in this process count, too.
    expect(listener.dialled).toBeGreaterThanOrEqual(1);
  });
});

describe(EgressPolicy.name, () => {
  const policy = new EgressPolicy({ ports: [443, 8443], allowHttp: false, allow: [] });

  it.each(HARMLESS_URLS)('lets %s through', (url) => {
    expect(policy.judgeUrl(url).allowed).toBe(true);
  });
});
