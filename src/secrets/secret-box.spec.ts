import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseKeyRing } from './key-ring.js';
import { SealBroken, SecretBox } from './secret-box.js';

const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const box = new SecretBox(parseKeyRing(key('k1', 1)));
const owner = { tenant: 'acme', taskId: 't1', configId: 'c1' };

describe(SecretBox.name, () => {
  it('opens what it sealed, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, taskId) => {
        const sealed = box.seal(secret, { ...owner, taskId });
        expect(box.open(sealed, { ...owner, taskId })).toBe(secret);
      }),
    );
  });

  it('opens a text sealed by an earlier release', () => {
    const sealed = 's1.k1.AAECAwQFBgcICQoL09P7UkWMNMm0_ee2dGWj4oaPlUMmx28';
    expect(box.open(sealed, owner)).toBe('hunter2');
  });

  it('never seals twice alike, and reveals nothing of the secret', () => {
    const sealed = [box.seal('hunter2', owner), box.seal('hunter2', owner)];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(sealed.join()).not.toContain('hunter2');
  });

  it('does not open for another owner', () => {
    const sealed = box.seal('hunter2', owner);
    const others = [
      { ...owner, tenant: 'evil' },
      { ...owner, taskId: 't2' },
      { ...owner, configId: 'c2' },
      { ...owner, taskId: 't1c', configId: '1' },
      { tenant: 'acmet', taskId: '1', configId: 'c1' },
    ];
    for (const other of others) expect(() => box.open(sealed, other)).toThrow(SealBroken);
  });

  it('does not open when one bit was changed', () => {
    const sealed = box.seal('hunter2', owner);
    const body = Buffer.from(sealed.slice('s1.k1.'.length), 'base64url');
    for (let index = 0; index < body.length; index += 1) {
      const changed = Buffer.from(body);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => box.open(`s1.k1.${changed.toString('base64url')}`, owner)).toThrow(SealBroken);
    }
  });

  it('does not open an unsealed text', () => {
    const texts = ['', 'hunter2', 's1', 's1.k1', 's1.k1.', 's1.k1.AAAA', 's1.k9.AAAA', 's2.k1.AAAA', 's1.k1.AAAA.x'];
    for (const text of texts) expect(() => box.open(text, owner)).toThrow(SealBroken);
  });

  it('reseals with a newer key, and opens both until then', () => {
    const sealed = box.seal('hunter2', owner);
    const rotated = new SecretBox(parseKeyRing(`${key('k2', 2)},${key('k1', 1)}`));
    expect(rotated.open(sealed, owner)).toBe('hunter2');
    const reencrypted = rotated.reencrypt(sealed, owner) ?? '';
    expect(reencrypted).toMatch(/^s1\.k2\./);
    expect(rotated.reencrypt(reencrypted, owner)).toBeUndefined();
    expect(() => box.open(reencrypted, owner)).toThrow(SealBroken);
    expect(new SecretBox(parseKeyRing(key('k2', 2))).open(reencrypted, owner)).toBe('hunter2');
  });

  it('takes the key id as part of what is sealed', () => {
    const sameKey = createSecretKey(Buffer.alloc(32, 1));
    const twins = new SecretBox({
      current: 'k1',
      keys: new Map([
        ['k1', sameKey],
        ['k2', sameKey],
      ]),
    });
    const renamed = twins.seal('hunter2', owner).replace('s1.k1.', 's1.k2.');
    expect(() => twins.open(renamed, owner)).toThrow(SealBroken);
  });
});

describe(parseKeyRing.name, () => {
  it('refuses keys of another length, without an id, or doubled, and repeats nothing of them', () => {
    expect(() => parseKeyRing('k1:c2VjcmV0')).toThrow('Encryption key 1: expected id:base64 of 32 bytes');
    expect(() => parseKeyRing('c2VjcmV0')).toThrow('Encryption key 1');
    expect(() => parseKeyRing('')).toThrow('At least one');
    expect(() => parseKeyRing(`${key('k1', 1)},${key('k1', 2)}`)).toThrow('same id');
  });
});
