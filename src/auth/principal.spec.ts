import { describe, expect, it } from '@jest/globals';
import { isOwnTenant, LOCAL_PRINCIPAL, ownerOf, type Principal } from './principal.js';

const machine: Principal = { tenant: 'acme', client: 'billing', scopes: [], method: 'token' };
const user: Principal = { ...machine, subject: 'ann' };

describe(ownerOf.name, () => {
  it('gives the users of one client one owner, or one each, by the policy', () => {
    expect(ownerOf(user, 'client')).toBe(ownerOf(machine, 'client'));
    expect(ownerOf(user, 'client-and-user')).not.toBe(ownerOf(machine, 'client-and-user'));
    expect(ownerOf({ ...user, client: 'other' }, 'tenant')).toBe(ownerOf(machine, 'tenant'));
  });

  it('keeps tenants apart under every policy (A2A-TEN-04)', () => {
    for (const policy of ['client', 'client-and-user', 'tenant'] as const) {
      expect(ownerOf({ ...user, tenant: 'other' }, policy)).not.toBe(ownerOf(user, policy));
    }
  });

  it('does not let a name imitate the owner of another', () => {
    const policies = ['client', 'client-and-user'] as const;
    const sly = [
      { ...machine, client: 'billing:ann' },
      { ...machine, client: 'a', subject: 'b:c' },
      { ...machine, client: 'a:b', subject: 'c' },
      { ...machine, client: 'tenant' },
    ];
    const owners = [machine, user, ...sly].map((principal) =>
      policies.map((policy) => ownerOf(principal, policy)).join(),
    );
    expect(new Set([...owners, ownerOf(machine, 'tenant')]).size).toBe(owners.length + 1);
  });
});

describe(isOwnTenant.name, () => {
  it('accepts a request without a tenant and one with the caller’s own (A2A-TEN-03)', () => {
    expect([undefined, '', 'acme'].map((named) => isOwnTenant(machine, named))).toEqual([true, true, true]);
  });

  it('refuses another tenant, also to the local caller', () => {
    expect(isOwnTenant(machine, 'ACME')).toBe(false);
    expect(isOwnTenant(LOCAL_PRINCIPAL, 'acme')).toBe(false);
  });
});
