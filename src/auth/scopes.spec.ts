import { describe, expect, it } from '@jest/globals';
import { STREAMS } from '@parley/protocol/model/operations.js';
import { LOCAL_PRINCIPAL, type Principal } from './principal.js';
import { missingScope, scopeDescriptions, SCOPE_OF, skillScope } from './scopes.js';

const caller = (...scopes: string[]): Principal => ({ tenant: 't', client: 'c', scopes, method: 'token' });

describe('SCOPE_OF', () => {
  it('requires a scope described in the card for every operation (A2A-AUTHZ-01)', () => {
    expect(Object.keys(SCOPE_OF).sort()).toEqual(Object.keys(STREAMS).sort());
    expect(Object.values(SCOPE_OF).every((scope) => Object.hasOwn(scopeDescriptions(), scope))).toBe(true);
  });
});

describe(missingScope.name, () => {
  it('refuses a caller without scopes every operation', () => {
    expect(Object.values(SCOPE_OF).filter((scope) => missingScope(caller(), [scope]) === undefined)).toEqual([]);
  });

  it('compares whole names only', () => {
    const sly = ['a2a:tasks.readonly', 'a2a:tasks', 'A2A:TASKS.READ', 'xa2a:tasks.read', 'a2a:tasks.*', '*', 'all'];
    expect(missingScope(caller(...sly), ['a2a:tasks.read'])).toBe('a2a:tasks.read');
  });

  it('requires the scope of a skill besides that of the operation (A2A-AUTHZ-03)', () => {
    const needed = ['a2a:message.send', skillScope('invoice')];
    expect(missingScope(caller('a2a:message.send'), needed)).toBe('skill:invoice');
    expect(missingScope(caller('a2a:message.send', 'skill:invoice'), needed)).toBeUndefined();
  });

  it('permits everything to the local caller', () => {
    expect(missingScope(LOCAL_PRINCIPAL, ['a2a:admin'])).toBeUndefined();
  });
});
