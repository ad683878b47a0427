import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { JwksCache } from '../../../src/auth/token/jwks.cache.js';
import { JwksSource } from '../../../src/auth/token/jwks.source.js';
import { JwtVerifier } from '../../../src/auth/token/jwt.verifier.js';
import { GuardedHttpGet } from '../../../src/auth/token/guarded.http-get.js';
import { AUDIENCE, newKey, TestIssuer } from '../../kit/auth/test-issuer.js';
import { eventually } from '../../kit/run/eventually.js';

// Processes start and keys are made: slow where many tests share a machine.
jest.setTimeout(60_000);

const MINUTE = 60_000;

/** A verifier with a clock of its own, on a real issuer over real HTTP. */
class Fixture {
  now = Date.now();
  failures = 0;
  readonly verifier: JwtVerifier;

  constructor(readonly issuer: TestIssuer) {
    const options = { issuer: issuer.url, audiences: [AUDIENCE], tenant: 'acme' };
    const source = new JwksSource(options, new GuardedHttpGet([options]));
    const now = (): number => this.now;
    const onFailure = (): number => (this.failures += 1);
    this.verifier = new JwtVerifier(
      [{ options, keys: new JwksCache({ load: () => source.load(), now, onFailure }) }],
      now,
    );
  }

  async verdict(token: string): Promise<string> {
    const verdict = await this.verifier.verify(token);
    return typeof verdict === 'string' ? verdict : 'accepted';
  }
}

describe(JwtVerifier.name, () => {
  let issuer: TestIssuer;
  const long = (): { exp: number } => ({ exp: Math.floor(Date.now() / 1000) + 80_000 });

  beforeAll(async () => {
    issuer = await TestIssuer.start();
  });

  afterAll(() => issuer.stop());

  it('follows a rotation: the new key within the cooldown, the old one until the keys are ten minutes old', async () => {
    const fixture = new Fixture(issuer);
    const fresh = newKey('fresh', 'ES256');
    const [before, after] = [issuer.token(long()), issuer.token(long(), {}, fresh)];
    expect([await fixture.verdict(before), await fixture.verdict(after)]).toEqual(['accepted', 'key']);
    await issuer.publish([fresh]);
    fixture.now += 30_000;
    expect(await fixture.verdict(after)).toBe('accepted');
    fixture.now += 10 * MINUTE + 1;
    expect([await fixture.verdict(before), await fixture.verdict(after)]).toEqual(['key', 'accepted']);
    await issuer.publish(Object.values(issuer.keys));
  });

  it('knows known callers while the issuer is down for ten minutes', async () => {
    const fixture = new Fixture(issuer);
    const token = issuer.token(long());
    await fixture.verdict(token);
    await issuer.setDown(true);
    const before = await issuer.fetches();
    const verdicts = new Set<string>();
    for (let second = 0; second < 600; second += 1) {
      fixture.now += 1_000;
      verdicts.add(await fixture.verdict(token));
      // A token that was seen before is judged at once: the loads beside the calls need turns of their own to fail.
      await new Promise(setImmediate);
    }
    await eventually(() => {
      expect(fixture.failures).toBeGreaterThan(0);
    });
    await issuer.setDown(false);
    expect([...verdicts]).toEqual(['accepted']);
    expect((await issuer.fetches()) - before).toBeLessThanOrEqual(20);
  });

  it('asks the issuer at most twice a minute for 10,000 tokens with made-up keys', async () => {
    const fixture = new Fixture(issuer);
    const good = issuer.token(long());
    await fixture.verdict(good);
    const before = await issuer.fetches();
    for (let index = 0; index < 10_000; index += 1) {
      fixture.now += 6;
      const token = issuer.token(long(), { kid: `made-up-${String(index)}` }, issuer.keys.ed);
      expect(await fixture.verdict(token)).toBe('key');
    }
    expect(await fixture.verdict(good)).toBe('accepted');
    expect((await issuer.fetches()) - before).toBeLessThanOrEqual(2);
  });

  const load = (options: { issuer: string; jwksUri?: string }): Promise<unknown> =>
    new JwksSource(options, new GuardedHttpGet([options])).load();

  it('takes no keys from an issuer whose metadata name another', async () => {
    await expect(load({ issuer: `${issuer.url}/tenant` })).rejects.toThrow('answered 404');
    await expect(load({ issuer: issuer.url.replace('localhost', '127.0.0.1') })).rejects.toThrow('of another issuer');
  });

  it('fetches no keys over plain http from another machine, and none from a metadata service', async () => {
    await expect(load({ issuer: 'https://i', jwksUri: 'http://keys.example/jwks' })).rejects.toThrow('over https only');
    await expect(load({ issuer: 'https://169.254.169.254' })).rejects.toMatchObject({ name: 'BlockedAddressError' });
  });
});
