import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/principal.js';
import { SCOPE_OF } from '../../auth/scopes.js';
import { scopeExtension } from './scope-extension.js';

const card = { name: 'n', description: 'd', tags: [] };
const SKILLS = [
  { ...card, id: 'pay', scopes: ['skill:pay', 'finance'] },
  { ...card, id: 'echo' },
];

const principal: Principal = {
  ...{ tenant: 'acme', client: 'planner', method: 'token' },
  scopes: ['a2a:message.send', 'finance', 'foreign'],
};

const SCOPES = [...new Set(Object.values(SCOPE_OF))];

describe(scopeExtension.name, () => {
  it('names all scopes of the service that a caller has, and all missing ones (O-14)', () => {
    const { granted, withheld } = scopeExtension(principal, SCOPES, SKILLS).params as Record<string, readonly string[]>;
    expect(granted).toEqual(['a2a:message.send', 'finance']);
    expect(withheld).toContain('skill:pay');
    const all = [...SCOPES, 'skill:pay', 'finance'];
    expect([...(granted ?? []), ...(withheld ?? [])].toSorted()).toEqual(all.toSorted());
  });
});
