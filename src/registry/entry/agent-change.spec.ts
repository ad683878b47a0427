import { describe, expect, it } from '@jest/globals';
import { anEntry } from '../../../test/kit/registry/registry-entries.js';
import { changeOf, type ChangeKind, concerns, kindFor } from './agent-change.js';
import { audienceOf, type RegistryEntry, type Visibility } from './registry-entry.js';

const FOR_ALL: Visibility = { kind: 'tenant' };
const FOR_FRIENDS: Visibility = { kind: 'clients', clients: ['friend'] };

const approved = (visibility: Visibility = FOR_ALL): RegistryEntry => anEntry({ state: 'approved', visibility });

/** The form of a change for each client, right after it. */
function told(before: RegistryEntry | undefined, after: RegistryEntry | undefined, isHealth = false) {
  const change = changeOf('urn:air:a.example:agent:a', before, after, isHealth ? { health: 'failing' } : {});
  const kinds = ['owner', 'friend', 'stranger'].map((client) => {
    if (change === undefined) return undefined;
    expect(concerns(change, client)).toBe(kindFor(client, change, audienceOf(after)) !== undefined);
    return kindFor(client, change, audienceOf(after));
  });
  return kinds satisfies readonly (ChangeKind | undefined)[];
}

describe(kindFor, () => {
  it('reports an agent that becomes visible, and its changes', () => {
    expect(told(anEntry({ state: 'proposed' }), approved())).toEqual(['listed', 'listed', 'listed']);
    expect(told(approved(), approved())).toEqual(['changed', 'changed', 'changed']);
    expect(told(approved(), approved(), true)).toEqual(['health', 'health', 'health']);
    expect(told(approved(FOR_FRIENDS), approved(FOR_FRIENDS))).toEqual(['changed', 'changed', undefined]);
    expect(told(approved(FOR_FRIENDS), approved())).toEqual(['changed', 'changed', 'listed']);
  });

  it('reports an agent as gone to the clients that could see it, whatever the reason', () => {
    expect(told(approved(), undefined)).toEqual(['gone', 'gone', 'gone']);
    expect(told(approved(), anEntry({ state: 'suspended' }))).toEqual(['gone', 'gone', 'gone']);
    expect(told(approved(), approved(FOR_FRIENDS))).toEqual(['changed', 'changed', 'gone']);
    expect(told(approved(FOR_FRIENDS), undefined)).toEqual(['gone', 'gone', undefined]);
  });

  it('is undefined for an agent that was not visible before or after', () => {
    expect(changeOf('urn:air:a.example:agent:a', undefined, anEntry({ state: 'proposed' }))).toBeUndefined();
    expect(changeOf('urn:air:a.example:agent:a', anEntry({ state: 'suspended' }), undefined)).toBeUndefined();
  });

  it('reports only the removal of an agent to readers that can no longer see it', () => {
    const change = changeOf('urn:air:a.example:agent:a', undefined, approved());
    const narrowed = changeOf('urn:air:a.example:agent:a', approved(), approved(FOR_FRIENDS));
    if (change === undefined || narrowed === undefined) throw new Error('both are changes');
    const now = audienceOf(approved(FOR_FRIENDS));
    expect(['friend', 'stranger'].map((client) => kindFor(client, change, now))).toEqual(['listed', undefined]);
    expect(['friend', 'stranger'].map((client) => kindFor(client, narrowed, now))).toEqual(['changed', 'gone']);
    expect(kindFor('friend', change, undefined)).toBeUndefined();
  });
});
