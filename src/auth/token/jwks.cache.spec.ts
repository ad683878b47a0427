import { describe, expect, it } from '@jest/globals';
import { CannotVerify } from '../cannot-verify.js';
import { JwksCache } from './jwks.cache.js';

const MINUTE = 60_000;

/** An issuer whose keys, health and clock the test sets, and which counts its loads. */
class Idp {
  now = 1_000_000_000;
  kids = ['a'];
  isDown = false;
  loads: number[] = [];
  failures: boolean[] = [];
  readonly cache = new JwksCache({
    load: () => {
      this.loads.push(this.now);
      if (this.isDown) return Promise.reject(new Error('down'));
      return Promise.resolve(new Map(this.kids.map((kid) => [kid, { kty: 'RSA', kid }])));
    },
    now: () => this.now,
    onFailure: (_error, hasKeys) => this.failures.push(hasKeys),
  });

  async has(kid: string): Promise<boolean> {
    return (await this.cache.find(kid)) !== undefined;
  }

  mostLoadsIn(span: number): number {
    return Math.max(...this.loads.map((start) => this.loads.filter((at) => at >= start && at < start + span).length));
  }
}

describe(JwksCache.name, () => {
  it('loads once for concurrent callers', async () => {
    const idp = new Idp();
    expect(await Promise.all(Array.from({ length: 500 }, () => idp.has('a')))).not.toContain(false);
    expect(idp.loads).toHaveLength(1);
  });

  it('accepts a new key at the first call after the cooldown', async () => {
    const idp = new Idp();
    await idp.has('a');
    idp.kids = ['a', 'b'];
    idp.now += 29_999;
    expect(await idp.has('b')).toBe(false);
    idp.now += 1;
    expect(await idp.has('b')).toBe(true);
  });

  it('finds a key replaced under its name within one cooldown, however many signatures are wrong (B9)', async () => {
    const idp = new Idp();
    const old = await idp.cache.find('a');
    if (old === undefined) throw new Error('no key');
    expect(await idp.cache.replaced('a', old)).toBeUndefined();
    idp.now += 30_000;
    const found = await Promise.all(Array.from({ length: 100 }, () => idp.cache.replaced('a', old)));
    expect(found.every((key) => key !== undefined && key !== old)).toBe(true);
    for (let at = 0; at < 600; at += 1) {
      idp.now += 100;
      await idp.cache.replaced('a', old);
    }
    expect(idp.mostLoadsIn(30_000)).toBe(1);
  });

  it('says with a failed load whether the last good keys still serve', async () => {
    const idp = new Idp();
    idp.isDown = true;
    await expect(idp.has('a')).rejects.toThrow(CannotVerify);
    idp.isDown = false;
    idp.now += MINUTE;
    await idp.has('a');
    idp.isDown = true;
    idp.now += 11 * MINUTE;
    await idp.has('a');
    expect(idp.failures).toEqual([false, true]);
  });

  it('refuses a removed key once the keys are ten minutes old (A2A-SEC-09)', async () => {
    const idp = new Idp();
    await idp.has('a');
    idp.kids = ['b'];
    idp.now += 10 * MINUTE + 1;
    expect(await idp.has('a')).toBe(false);
  });

  it('refreshes in the background after five minutes', async () => {
    const idp = new Idp();
    await idp.has('a');
    idp.now += 5 * MINUTE + 1;
    expect(await idp.has('a')).toBe(true);
    expect(idp.loads).toHaveLength(2);
  });

  it('serves known keys for up to a day while the issuer is down, with at most two requests a minute', async () => {
    const idp = new Idp();
    await idp.has('a');
    idp.isDown = true;
    for (let second = 0; second < 600; second += 1) {
      idp.now += 1_000;
      expect(await idp.has('a')).toBe(true);
    }
    expect(idp.mostLoadsIn(MINUTE)).toBeLessThanOrEqual(2);
    idp.now += 24 * 60 * MINUTE;
    await expect(idp.has('a')).rejects.toBeInstanceOf(CannotVerify);
  });

  it('reports that it cannot verify, and until when, while it never had keys', async () => {
    const idp = new Idp();
    idp.isDown = true;
    await expect(idp.has('a')).rejects.toMatchObject({ retryAfterSeconds: 30 });
    idp.now += 10_000;
    await expect(idp.has('a')).rejects.toMatchObject({ retryAfterSeconds: 20 });
    expect(idp.loads).toHaveLength(1);
    idp.isDown = false;
    idp.now += 20_000;
    expect(await idp.has('a')).toBe(true);
  });

  it('makes at most two requests a minute for 10,000 made-up keys, and keeps the real ones', async () => {
    const idp = new Idp();
    for (let index = 0; index < 10_000; index += 1) {
      idp.now += 12;
      expect(await idp.has(`made-up-${String(index)}`)).toBe(false);
    }
    expect(await idp.has('a')).toBe(true);
    expect(idp.mostLoadsIn(MINUTE)).toBeLessThanOrEqual(2);
  });
});
