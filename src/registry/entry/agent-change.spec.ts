import { describe, expect, it } from '@jest/globals';
import { anEntry } from '../../../test/kit/registry/registry-entries.js';
import { changeOf, type ChangeKind, concerns, kindFor } from './agent-change.js';
import { audienceOf, type RegistryEntry, type Visibility } from './registry-entry.js';

const FOR_ALL: Visibility = { kind: 'tenant' };
const FOR_FRIENDS: Visibility = { kind: 'clients', clients: ['friend'] };

const approved = (visibility: Visibility = FOR_ALL): RegistryEntry => anEntry({ state: 'approved', visibility });

/** What each client is told of a change right after it. */
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
  it('tells of an agent that is found from now on, and of what changes of it', () => {
    expect(told(anEntry({ state: 'proposed' }), approved())).toEqual(['listed', 'listed', 'listed']);
    expect(told(approved(), approved())).toEqual(['changed', 'changed', 'changed']);
    expect(told(approved(), approved(), true)).toEqual(['health', 'health', 'health']);
    expect(told(approved(FOR_FRIENDS), approved(FOR_FRIENDS))).toEqual(['changed', 'changed', undefined]);
    expect(told(approved(FOR_FRIENDS), approved())).toEqual(['changed', 'changed', 'listed']);
  });

  it('says that an agent is gone to those who could find it, whatever the reason', () => {
    expect(told(approved(), undefined)).toEqual(['gone', 'gone', 'gone']);
    expect(told(approved(), anEntry({ state: 'suspended' }))).toEqual(['gone', 'gone', 'gone']);
    expect(told(approved(), approved(FOR_FRIENDS))).toEqual(['changed', 'changed', 'gone']);
    expect(told(approved(FOR_FRIENDS), undefined)).toEqual(['gone', 'gone', undefined]);
  });

  it('is nothing where nobody found the agent before and nobody does after', () => {
    expect(changeOf('urn:air:a.example:agent:a', undefined, anEntry({ state: 'proposed' }))).toBeUndefined();
    expect(changeOf('urn:air:a.example:agent:a', anEntry({ state: 'suspended' }), undefined)).toBeUndefined();
  });

  it('tells late readers nothing of an agent that they do not find any more, but that it is gone', () => {
    const change = changeOf('urn:air:a.example:agent:a', undefined, approved());
    const narrowed = changeOf('urn:air:a.example:agent:a', approved(), approved(FOR_FRIENDS));
    if (change === undefined || narrowed === undefined) throw new Error('both are changes');
    const now = audienceOf(approved(FOR_FRIENDS));
    expect(['friend', 'stranger'].map((client) => kindFor(client, change, now))).toEqual(['listed', undefined]);
    expect(['friend', 'stranger'].map((client) => kindFor(client, narrowed, now))).toEqual(['changed', 'gone']);
    expect(kindFor('friend', change, undefined)).toBeUndefined();
  });
});
