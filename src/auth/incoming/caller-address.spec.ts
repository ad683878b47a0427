import { describe, expect, it } from '@jest/globals';
import { callerAddress } from './caller-address.js';

const INGRESS = ['10.0.0.0/8', 'fd00::/8'];

describe(callerAddress.name, () => {
  it('trusts the entry appended by a proxy of ours', () => {
    expect(callerAddress('10.1.2.3', ['203.0.113.7'], INGRESS)).toBe('203.0.113.7');
    expect(callerAddress('fd00::1', ['2001:db8::1'], INGRESS)).toBe('2001:db8::1');
  });

  it('does not trust the entries that a caller wrote before it', () => {
    expect(callerAddress('10.1.2.3', ['1.1.1.1, 203.0.113.7'], INGRESS)).toBe('203.0.113.7');
    expect(callerAddress('10.1.2.3', ['10.9.9.9', '203.0.113.7'], INGRESS)).toBe('203.0.113.7');
  });

  it('skips several proxies of ours', () => {
    expect(callerAddress('10.1.2.3', ['203.0.113.7, 10.4.4.4', '10.5.5.5'], INGRESS)).toBe('203.0.113.7');
  });

  it('trusts no other source, and none without configured networks', () => {
    expect(callerAddress('192.0.2.1', ['203.0.113.7'], INGRESS)).toBe('192.0.2.1');
    expect(callerAddress('10.1.2.3', ['203.0.113.7'], [])).toBe('10.1.2.3');
  });

  it.each(['', 'unknown', '_hidden', '999.1.1.1', 'a'.repeat(10_000)])('stops at an invalid address: %s', (hop) => {
    expect(callerAddress('10.1.2.3', [`203.0.113.7, ${hop}`], INGRESS)).toBe('10.1.2.3');
  });

  it.each([
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
  ])('reads %s', (hop, address) => {
    expect(callerAddress('::ffff:10.1.2.3', [hop], INGRESS)).toBe(address);
  });
});
