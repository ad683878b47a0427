import { describe, expect, it } from '@jest/globals';
import { CardSigner } from '../../../src/agents/card/card-signer.js';
import { newCardSigningKeys, parseCardSigningKeys } from '../../../src/agents/card/card-signing-keys.js';
import { Prober } from '../../../src/registry/health/prober.js';
import { brokenAt } from '@parley/client/registry/registry-log.js';
import { Registrations } from '../../../src/registry/registrations.js';
import type { FilterTerm } from '../../../src/registry/search/filter-terms.js';
import { agentsAfter, readFeed, wordsOf } from '../../kit/registry/registry-events.js';
import {
  aCard,
  approved,
  CURATOR,
  entryOf,
  FINANCE,
  OWNER,
  register,
  type Replica,
  urlOf,
  useRegistryWorld,
} from '../../kit/registry/registry-world.js';

const DAY = 24 * 3_600_000;
let world: ReturnType<typeof useRegistryWorld>;

async function names({ catalogs }: Replica, client: string, tenant = 'acme'): Promise<readonly string[]> {
  const catalog = await catalogs.of(tenant);
  return catalog.list(client, new Map()).map(({ entry }) => entry.listing.displayName);
}

async function actions({ store }: Replica): Promise<readonly string[]> {
  const events = await store.events('acme', 0, 1000);
  expect(brokenAt(events, await store.head('acme'))).toBeUndefined();
  return events.map(({ action }) => action);
}

describe('the registry', () => {
  world = useRegistryWorld();

  describe(Registrations.name, () => {
    it('O-65, SEED-01: an agent is found once a curator has approved the card, by every process of the service', async () => {
      const [one, other] = [world.replica(), world.replica()];
      const entry = await register(one, 'finance.example');
      expect(entry).toMatchObject({ identifier: FINANCE, state: 'proposed', proof: { kind: 'well-known' } });
      expect(await names(other, 'anybody')).toEqual([]);
      const wrong = await one.registrations.approve(CURATOR, FINANCE, '0'.repeat(64));
      expect(wrong).toMatchObject({ kind: 'conflict' });
      await one.registrations.approve(CURATOR, FINANCE, entry.hash);
      expect(await names(other, 'anybody')).toEqual(['Finance']);
      expect(await names(other, 'anybody', 'another tenant')).toEqual([]);
      await one.registrations.suspend(CURATOR, FINANCE, 'complaints');
      expect(await names(other, 'anybody')).toEqual([]);
      expect(await one.registrations.retire({ ...OWNER, client: 'stranger' }, FINANCE, 'mine', false)).toEqual({
        kind: 'missing',
      });
      expect(await one.registrations.retire(OWNER, FINANCE, 'closed', false)).toEqual({ kind: 'done' });
      expect(await one.store.read('acme', FINANCE)).toBeUndefined();
      expect(await actions(one)).toEqual(['registered', 'approved', 'suspended', 'retired']);
    });

    it.each([
      ['finance.example:8443', FINANCE],
      ['[2001:db8::1]', undefined],
      ['[2001:db8::1]', 'urn:air:localhost:agent:finance'],
      ['[2001:db8::1]', 'urn:air:2001:agent:finance'],
      ['travel.example', FINANCE],
    ])('does not take %s for the publisher of %s (A16)', async (host, identifier) => {
      world.served.set(urlOf(host), aCard('Finance', host));
      const asks = { url: urlOf(host), visibility: { kind: 'tenant' }, ...(identifier && { identifier }) } as const;
      expect(await world.replica().registrations.register(OWNER, asks)).toMatchObject({ kind: 'refused' });
    });

    it('has one entry for an identifier, however its publisher is written (A16)', async () => {
      const on = world.replica();
      const asks = { url: urlOf('finance.example'), visibility: { kind: 'tenant' } } as const;
      for (const identifier of ['urn:air:Finance.EXAMPLE:agent:finance', FINANCE])
        expect(entryOf(await on.registrations.register(OWNER, { ...asks, identifier })).identifier).toBe(FINANCE);
      expect(await actions(on)).toEqual(['registered']);
    });

    it('lets named clients find an agent, its owner, and nobody else', async () => {
      const on = world.replica();
      await approved(on, 'finance.example');
      await on.registrations.show(CURATOR, FINANCE, { kind: 'clients', clients: ['friend'] });
      const found = await Promise.all(['friend', 'owner', 'stranger'].map((client) => names(on, client)));
      expect(found).toEqual([['Finance'], ['Finance'], []]);
    });

    it('shows nobody what is not for them, and counts it for nobody: by search, list, look-up, facets and events', async () => {
      const on = world.replica();
      const callers = ['owner', 'other owner', 'friend', 'stranger'];
      const audiences = [undefined, [], ['friend'], ['friend', 'stranger'], ['other owner']];
      /** Who may find each agent. */
      const readers = new Map<string, readonly string[]>();
      const narrowed: string[] = [];
      for (const [at, clients] of [...audiences, ...audiences].entries()) {
        const [name, owner] = [`Agent${String(at)}`, at < audiences.length ? 'owner' : 'other owner'];
        const host = `${name.toLowerCase()}.example`;
        world.served.set(urlOf(host), aCard(name, host, [`skill${String(at)}`, 'count']));
        const { identifier, hash } = await register(on, host, { ...OWNER, client: owner });
        if (at % 4 !== 3) await on.registrations.approve(CURATOR, identifier, hash);
        if (at % 4 !== 3 && clients !== undefined) narrowed.push(identifier);
        if (clients !== undefined) await on.registrations.show(CURATOR, identifier, { kind: 'clients', clients });
        const found = clients === undefined ? callers : callers.filter((one) => one === owner || clients.includes(one));
        readers.set(identifier, at % 4 === 3 ? [] : found);
      }
      const catalog = await on.catalogs.of('acme');
      const all = new Map<FilterTerm, readonly string[]>();
      for (const caller of callers) {
        const mine = [...readers].flatMap(([identifier, found]) => (found.includes(caller) ? [identifier] : [])).sort();
        const listed = catalog.list(caller, all);
        expect(listed.map(({ entry }) => entry.identifier).sort()).toEqual(mine);
        expect(
          catalog
            .search(caller, 'count', all)
            .map((found) => found.listed.entry.identifier)
            .sort(),
        ).toEqual(mine);
        expect([...readers.keys()].filter((one) => catalog.find(caller, one) !== undefined).sort()).toEqual(mine);
        const events = await readFeed(on.feed, caller, 'start');
        expect(agentsAfter(events)).toEqual(mine);
        // Before it was narrowed everybody found it: that it is gone is all that is told of it now.
        const others = events.filter(({ event }) => event.change !== 'reset' && !mine.includes(event.identifier));
        expect(others.map(wordsOf)).toEqual(
          narrowed.filter((one) => !mine.includes(one)).map((one) => `gone ${one.split(':').at(-1) ?? ''}`),
        );
        const counted = catalog.buckets(listed, 'capabilities').map(({ value, count }) => [value, count]);
        const own = mine.map((one) => [one.replace(/^.*:agent:agent/, 'skill'), 1]);
        expect(new Map(counted as [string, number][])).toEqual(
          new Map([['count', mine.length], ...(own as [string, number][])]),
        );
      }
    });

    it('refuses the name of a publisher that does not vouch for the card, and takes a signature of a pinned key', async () => {
      const on = world.replica();
      const signing = parseCardSigningKeys(newCardSigningKeys());
      const card = aCard('Finance', 'finance.example');
      const signed = {
        ...card,
        signatures: await new CardSigner(signing, 'https://evil.example/jwks').signatures(card),
      };
      world.served.set('https://cdn.example/cards/finance.json', signed);
      const asks = {
        ...{ url: 'https://cdn.example/cards/finance.json', identifier: 'urn:air:bank.example:agent:finance' },
        visibility: { kind: 'tenant' },
      } as const;
      expect(await on.registrations.register(OWNER, asks)).toMatchObject({ kind: 'refused' });
      const publicKey = signing[0]?.publicJwk;
      expect(await on.keys.pin(CURATOR, 'bank.example', [{ ...publicKey, d: 'x' }])).toMatchObject({ kind: 'refused' });
      expect(await on.keys.pin(CURATOR, 'bank.example', [publicKey])).toEqual({ kind: 'done' });
      const entry = entryOf(await on.registrations.register(OWNER, asks));
      expect(entry).toMatchObject({ proof: { kind: 'signature' }, signature: 'verified' });
      world.served.set('https://cdn.example/cards/finance.json', {
        ...signed,
        description: 'changed after the signature',
      });
      const forged = { ...asks, identifier: 'urn:air:bank.example:agent:other' };
      expect(await on.registrations.register(OWNER, forged)).toMatchObject({ kind: 'refused' });
    });

    it('serves the approved card while a risky new one waits, and a harmless one at once', async () => {
      const on = world.replica();
      const before = await approved(on, 'finance.example');
      world.served.set(urlOf('finance.example'), aCard('Finance', 'evil.example', ['pay']));
      const drifted = entryOf(await on.registrations.refresh(OWNER, FINANCE, false));
      expect(drifted).toMatchObject({ state: 'approved', hash: before.hash, listing: before.listing });
      expect(drifted.pending?.changes).toEqual([
        'interface at another origin: https://evil.example',
        'skill removed: extract_invoice',
      ]);
      expect(await on.registrations.approve(CURATOR, FINANCE, before.hash)).toMatchObject({ kind: 'conflict' });
      const { pending } = drifted;
      const accepted = entryOf(await on.registrations.approve(CURATOR, FINANCE, pending?.hash ?? ''));
      expect(accepted).toMatchObject({ hash: pending?.hash, listing: { capabilities: ['pay'] } });
      expect(accepted.pending).toBeUndefined();
      expect((await on.store.cards('acme', FINANCE)).served).toContain('evil.example');
      world.served.set(urlOf('finance.example'), {
        ...aCard('Finance', 'evil.example', ['pay', 'more']),
        description: 'New.',
      });
      expect(entryOf(await on.registrations.refresh(OWNER, FINANCE, false))).toMatchObject({
        listing: { description: 'New.', capabilities: ['pay', 'more'] },
      });
      expect(await actions(on)).toEqual(['registered', 'approved', 'drifted', 'approved', 'changed']);
    });

    it('has one outcome and one log where processes register, approve and retire at once', async () => {
      const first = world.replica();
      const replicas = [first, world.replica(), world.replica()];
      await Promise.all(replicas.map((on) => register(on, 'finance.example')));
      const { entry } = (await first.store.read('acme', FINANCE)) ?? {};
      await Promise.all([
        ...replicas.map(({ registrations }) => registrations.approve(CURATOR, FINANCE, entry?.hash ?? '')),
        ...replicas.map(({ registrations }) => registrations.retire(CURATOR, FINANCE, 'closed', true)),
      ]);
      const done = await actions(first);
      expect(done.filter((action) => action === 'registered')).toHaveLength(1);
      expect(done.filter((action) => action === 'retired')).toHaveLength(1);
      for (const on of replicas) expect(await names(on, 'anybody')).toEqual([]);
    });

    it('keeps to the bounds of a tenant, in agents and in bytes', async () => {
      const few = world.replica({ mostAgents: 1 });
      await register(few, 'finance.example');
      const visibility = { kind: 'tenant' } as const;
      const second = await few.registrations.register(OWNER, { url: 'https://travel.example', visibility });
      expect(second).toMatchObject({ kind: 'full' });
      const small = world.replica({ mostBytes: 2000 });
      expect(await small.registrations.register(OWNER, { url: 'https://travel.example', visibility })).toMatchObject({
        kind: 'full',
      });
      expect(await few.registrations.retire(OWNER, FINANCE, 'closed', false)).toEqual({ kind: 'done' });
      expect(await register(few, 'travel.example')).toMatchObject({ state: 'proposed' });
    });
  });

  describe(Prober.name, () => {
    const states = async ({ catalogs }: Replica): Promise<Readonly<Record<string, string>>> => {
      const listed = (await catalogs.of('acme')).list('anybody', new Map());
      return Object.fromEntries(listed.map(({ entry, health }) => [entry.listing.displayName, health.state]));
    };

    it('is one process of all, and asks for a card again only when it is due', async () => {
      const first = world.replica();
      const replicas = [first, world.replica(), world.replica()];
      await approved(first, 'finance.example');
      world.asked = [];
      for (const { prober } of replicas) await prober.tick(Date.now() + DAY);
      expect(world.asked).toEqual([urlOf('finance.example')]);
      for (const { prober } of replicas) await prober.tick(Date.now());
      expect(world.asked).toHaveLength(1);
    });

    it('marks an agent after three failures, lists it last, and takes it back by itself', async () => {
      const on = world.replica();
      for (const host of ['finance.example', 'travel.example']) await approved(on, host);
      await on.prober.tick(Date.now() + DAY);
      expect(await states(on)).toEqual({ Finance: 'healthy', Travel: 'healthy' });
      const card = world.served.get(urlOf('finance.example')) ?? '';
      world.served.set(urlOf('finance.example'), '{"poisoned": [');
      for (let look = 0; look < 3; look += 1) await on.prober.tick(Date.now() + DAY);
      expect(await states(on)).toEqual({ Finance: 'failing', Travel: 'healthy' });
      const found = (await on.catalogs.of('acme')).search('anybody', 'money', new Map());
      expect(found.map(({ listed }) => listed.entry.listing.displayName)).toEqual(['Travel', 'Finance']);
      world.served.set(urlOf('finance.example'), card);
      await on.prober.tick(Date.now() + DAY);
      expect(await states(on)).toEqual({ Finance: 'healthy', Travel: 'healthy' });
    });

    it('finds a swapped interface, and leaves the approved card where it is', async () => {
      const on = world.replica();
      await approved(on, 'finance.example');
      world.served.set(urlOf('finance.example'), aCard('Finance', '127.0.0.1'));
      await on.prober.tick(Date.now() + DAY);
      const known = await on.store.read('acme', FINANCE);
      expect(known?.entry.pending?.changes).toContain('interface at another origin: https://127.0.0.1');
      expect((await on.store.cards('acme', FINANCE)).served).toContain('https://finance.example/a2a');
    });
  });
});
