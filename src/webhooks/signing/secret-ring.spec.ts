import { describe, expect, it } from '@jest/globals';
import {
  derivedKey,
  derivedRing,
  promote,
  RETIREMENT_MS,
  ringOf,
  type SecretRing,
  signingKeys,
  stage,
  takenOver,
} from './secret-ring.js';

const OLD = { id: 'old', secret: 'old secret' };
const NEW = { id: 'new', secret: 'new secret' };

describe('SecretRing', () => {
  it('lets a receiver switch at any moment between stage and expiry', () => {
    const phases = [
      { ring: ringOf(OLD), at: 0, current: OLD, all: [OLD] },
      { ring: stage(ringOf(OLD), NEW, 0), at: 1, current: OLD, all: [OLD, NEW] },
      { ring: promote(stage(ringOf(OLD), NEW, 0), 2), at: 3, current: NEW, all: [NEW, OLD] },
      { ring: promote(stage(ringOf(OLD), NEW, 0), 2), at: 2 + RETIREMENT_MS, current: NEW, all: [NEW] },
    ];
    for (const { ring, at, current, all } of phases) {
      expect(ring.current).toEqual(current);
      expect(signingKeys(ring, at)).toEqual(all);
    }
  });

  it('lets a receiver switch to a staged secret that another replaces (B21)', () => {
    const newer = { id: 'newer', secret: 'newer secret' };
    const ring = stage(stage(ringOf(OLD), NEW, 0), newer, 5);
    expect(signingKeys(ring, 5)).toEqual([OLD, newer, NEW]);
    expect(signingKeys(promote(ring, 6), 7)).toEqual([newer, OLD, NEW]);
    expect(signingKeys(ring, 5 + RETIREMENT_MS)).toEqual([OLD, newer]);
  });

  it('changes nothing when nothing is staged', () => {
    expect(promote(ringOf(OLD), 0)).toEqual(ringOf(OLD));
  });

  it('keeps at most ten old secrets', () => {
    let ring = ringOf(OLD);
    for (let n = 0; n < 20; n += 1) ring = promote(stage(ring, { id: String(n), secret: String(n) }, n), n);
    expect(ring.retired).toHaveLength(10);
    expect(ring.retired[0]?.key.id).toBe('18');
  });
});

describe(derivedKey.name, () => {
  const master = { id: 'm1', secret: 'a master secret' };

  it('is stable, of 32 bytes, and differs by tenant, client and master', () => {
    const key = derivedKey(master, 'acme', 'crm');
    expect(derivedKey(master, 'acme', 'crm')).toEqual(key);
    expect(Buffer.from(key.secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const others = [
      derivedKey(master, 'acme', 'crn'),
      derivedKey(master, 'acm', 'ecrm'),
      derivedKey({ id: 'm2', secret: 'another' }, 'acme', 'crm'),
    ];
    for (const other of others) expect(other.secret).not.toBe(key.secret);
  });

  it('signs with older masters too', () => {
    const ring = derivedRing([{ id: 'm2', secret: 'another' }, master], 'acme', 'crm');
    expect(signingKeys(ring, Date.now()).map(({ id }) => id)).toEqual(['m2', 'm1']);
  });

  it('signs with older masters for another day when the client gets secrets of its own', () => {
    const derived = derivedRing([{ id: 'm2', secret: 'another' }, master], 'acme', 'crm');
    const own = JSON.parse(JSON.stringify(stage(takenOver(derived, 0), NEW, 0))) as SecretRing;
    expect(signingKeys(own, RETIREMENT_MS - 1).map(({ id }) => id)).toEqual(['m2', 'new', 'm1']);
    expect(signingKeys(own, RETIREMENT_MS).map(({ id }) => id)).toEqual(['m2', 'new']);
  });
});
