import { describe, expect, it } from '@jest/globals';
import { addressGroup, callerKey } from './limit.keys.js';

describe(addressGroup.name, () => {
  it('counts addresses that one caller can switch between as one', () => {
    expect(addressGroup('2001:db8:1:2::1')).toBe(addressGroup('2001:0db8:1:2:ffff::9'));
    expect(addressGroup('2001:db8:1:3::1')).not.toBe(addressGroup('2001:db8:1:2::1'));
    expect(addressGroup('::ffff:192.0.2.7')).toBe(addressGroup('192.0.2.7'));
    expect(addressGroup('192.0.2.7')).not.toBe(addressGroup('192.0.2.8'));
  });

  it('counts all invalid addresses as one', () => {
    expect(['', 'nonsense', '1.2.3.4:80'].map(addressGroup)).toEqual(['unknown', 'unknown', 'unknown']);
  });
});

describe(callerKey.name, () => {
  it('keeps tenants, clients and classes of calls apart (A2A-TEN-04)', () => {
    const keys = [
      callerKey('p', { tenant: 'a', client: 'x' }, 'read'),
      callerKey('p', { tenant: 'a', client: 'x' }, 'write'),
      callerKey('p', { tenant: 'b', client: 'x' }, 'read'),
      callerKey('p', { tenant: 'a', client: 'x:read' }, 'read'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
