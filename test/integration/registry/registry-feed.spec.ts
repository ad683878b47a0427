import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { RegistryFeed } from '../../../src/registry/feed/registry-feed.js';
import { RegistryKeys } from '../../../src/registry/store/registry.keys.js';
import { FEED_BOUNDS } from '../../../src/registry/store/registry.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { type FollowedFeed, followFeed, readFeed, wordsOf } from '../../kit/registry/registry-events.js';
import {
  aCard,
  approved,
  CURATOR,
  FINANCE,
  OWNER,
  register,
  type Replica,
  urlOf,
  useRegistryWorld,
} from '../../kit/registry/registry-world.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

const DAY = 24 * 3_600_000;
let world: ReturnType<typeof useRegistryWorld>;
const FRIENDS = { kind: 'clients', clients: ['friend'] } as const;
const EVERYBODY = { kind: 'tenant' } as const;

let one: Replica;
let other: Replica;

const feedKey = (): string => new RegistryKeys(world.keyPrefix).of('acme').feed;

/** An agent that its owner and a friend see alone: it fails, drifts, comes back, and everybody sees it again. */
async function narrowed(on: Replica): Promise<void> {
  await on.registrations.show(CURATOR, FINANCE, FRIENDS);
  const card = world.served.get(urlOf('finance.example')) ?? '';
  world.served.delete(urlOf('finance.example'));
  for (let look = 0; look < 3; look += 1) await on.prober.tick(Date.now() + DAY);
  world.served.set(urlOf('finance.example'), aCard('Finance', 'evil.example'));
  await on.registrations.refresh(OWNER, FINANCE, false);
  world.served.set(urlOf('finance.example'), card);
  await on.registrations.refresh(OWNER, FINANCE, false);
  await on.registrations.show(CURATOR, FINANCE, EVERYBODY);
}

async function retire(on: Replica): Promise<void> {
  await on.registrations.retire(OWNER, FINANCE, 'closed', false);
}

const OF_FRIEND = [
  ...['reset', 'listed finance', 'changed finance', 'health finance'],
  ...['changed finance', 'changed finance', 'changed finance', 'gone finance'],
];

/** A friend who has followed the whole life of an agent, as it happened. */
async function lived(on: Replica): Promise<FollowedFeed> {
  const friend = await followFeed(one.feed, 'friend');
  await approved(on, 'finance.example');
  await narrowed(on);
  await told(friend, OF_FRIEND.slice(0, -1));
  await retire(on);
  await told(friend, OF_FRIEND);
  return friend;
}

/** What a reader of a moment ago has lost is told to nobody: so tests wait for what has been told. */
async function told({ words }: FollowedFeed, wanted: readonly string[]): Promise<void> {
  await eventually(() => {
    expect(words()).toEqual(wanted);
  });
}

describe('registry feed', () => {
  world = useRegistryWorld();

  beforeEach(() => {
    one = world.replica();
    other = world.replica();
  });

  describe(RegistryFeed.name, () => {
    it('tells each client what it may see, in whatever process it happens', async () => {
      const stranger = await followFeed(other.feed, 'stranger');
      const foreign = await one.feed.open({ ...OWNER, tenant: 'another' });
      expect((await foreign.next()).value).toMatchObject({ name: 'reset', id: 'start' });
      const next = foreign.next();
      await approved(one, 'finance.example');
      await told(stranger, ['reset', 'listed finance']);
      await narrowed(other);
      await told(stranger, ['reset', 'listed finance', 'gone finance', 'listed finance']);
      await retire(one);
      await told(stranger, ['reset', 'listed finance', 'gone finance', 'listed finance', 'gone finance']);
      await foreign.return();
      expect(await next).toEqual({ done: true, value: undefined });
      await stranger.close();
    });

    it('goes on at another process behind any event, with exactly those that followed', async () => {
      const friend = await lived(other);
      expect(friend.frames.find(({ name }) => name === 'health')?.event).toMatchObject({ health: 'failing' });
      await approved(one, 'finance.example');
      await told(friend, [...OF_FRIEND, 'listed finance']);
      for (const [at, { id }] of friend.frames.entries()) {
        expect(await readFeed(other.feed, 'friend', id)).toEqual(friend.frames.slice(at + 1));
      }
      await friend.close();
    });

    it('tells of an agent that is not found any more only that it is gone, however late its reader comes', async () => {
      const { frames, close } = await followFeed(one.feed, 'stranger');
      await close();
      const [{ id } = { id: '' }] = frames;
      await approved(one, 'finance.example');
      await narrowed(one);
      await retire(one);
      expect((await readFeed(other.feed, 'stranger', id)).map(wordsOf)).toEqual(['gone finance', 'gone finance']);
      await register(one, 'travel.example');
      expect((await readFeed(other.feed, 'stranger', id)).map(wordsOf)).toEqual(['gone finance', 'gone finance']);
    });

    it('resets a reader whose event is not kept any more, was lost in a failover, or never was', async () => {
      const reader = await followFeed(one.feed, 'friend');
      await approved(one, 'finance.example');
      await told(reader, ['reset', 'listed finance']);
      const { id = '' } = reader.frames[1] ?? {};
      for (const unknown of ['', 'x', '1-0', `${id}x`, 'start; DROP']) {
        expect((await readFeed(other.feed, 'friend', unknown)).map(wordsOf)).toEqual(['reset']);
      }
      // A replica that was promoted has never seen the last change, and gives its number to another one.
      await world.redis.del(feedKey());
      await world.redis.hdel(new RegistryKeys(world.keyPrefix).of('acme').meta, 'told', 'told_bytes');
      await approved(one, 'travel.example');
      await told(reader, ['reset', 'listed finance', 'reset']);
      expect((await readFeed(other.feed, 'friend', id)).map(wordsOf)).toEqual(['reset']);
      await one.registrations.suspend(CURATOR, FINANCE, 'test');
      await world.redis.xtrim(feedKey(), 'MAXLEN', 1);
      expect((await readFeed(world.replica().feed, 'friend', 'start')).map(wordsOf)).toEqual(['reset']);
      await reader.close();
    });

    it('reads once for all readers of a process', async () => {
      const read = jest.spyOn(one.store, 'feedFrom');
      const readers = await Promise.all(Array.from({ length: 50 }, () => followFeed(one.feed, 'friend')));
      const before = read.mock.calls.length;
      await approved(other, 'finance.example');
      for (const reader of readers) await told(reader, ['reset', 'listed finance']);
      expect(read.mock.calls.length - before).toBeLessThanOrEqual(2);
      await Promise.all(readers.map(({ close }) => close()));
    });

    it('keeps a bounded number of bytes, and the same in Redis and in each process', async () => {
      const reader = await followFeed(one.feed, 'owner');
      const clients = Array.from({ length: 100 }, (_unused, at) => `${String(at)}${'x'.repeat(250)}`);
      await approved(one, 'finance.example');
      for (let at = 0; at < 15; at += 1) await one.registrations.show(CURATOR, FINANCE, { kind: 'clients', clients });
      const kept = await one.store.feedFrom('acme', 0);
      const bytes = kept.reduce((sum, change) => sum + change.bytes, 0);
      expect([kept.length < 12, bytes <= FEED_BOUNDS.bytes]).toEqual([true, true]);
      expect(await world.redis.hget(new RegistryKeys(world.keyPrefix).of('acme').meta, 'told_bytes')).toBe(
        String(bytes),
      );
      await eventually(() => {
        expect(reader.words()).toHaveLength(17);
      });
      const last = reader.frames.slice(-kept.length);
      expect(last.map(({ id }) => id)).toEqual(kept.map(({ change }) => change.id));
      const [first] = last;
      expect(await readFeed(one.feed, 'owner', first?.id ?? '')).toEqual(last.slice(1));
      expect((await readFeed(one.feed, 'owner', reader.frames.at(-kept.length - 1)?.id ?? '')).map(wordsOf)).toEqual([
        'reset',
      ]);
      await reader.close();
    });
  });

  describe('a process whose connections break', () => {
    let redis: RedisClient;
    let subscriber: RedisClient;
    let own: Replica;

    beforeEach(() => {
      redis = connect(testRedisUrl(), 'command');
      subscriber = connect(testRedisUrl(), 'subscriber');
      own = world.replica({ redis, subscriber });
      own.feed.onApplicationBootstrap();
    });

    afterEach(() => {
      own.feed.onModuleDestroy();
      redis.disconnect();
      subscriber.disconnect();
    });

    it('finds the changes without a message, a little later', async () => {
      const reader = await followFeed(own.feed, 'friend');
      subscriber.disconnect();
      await approved(other, 'finance.example');
      await told(reader, ['reset', 'listed finance']);
      await reader.close();
    });

    it('has told all of them, each once, when it is connected again', async () => {
      const reader = await followFeed(own.feed, 'friend');
      await approved(other, 'finance.example');
      await told(reader, ['reset', 'listed finance']);
      redis.disconnect(true);
      subscriber.disconnect(true);
      await other.registrations.suspend(CURATOR, FINANCE, 'test');
      await approved(other, 'travel.example');
      await told(reader, ['reset', 'listed finance', 'gone finance', 'listed travel']);
      await reader.close();
    });

    it('refuses a feed that it cannot read, and opens it later', async () => {
      redis.disconnect();
      await expect(own.feed.open(OWNER)).rejects.toThrow('Connection is closed');
      await redis.connect();
      const reader = await followFeed(own.feed, 'friend');
      await approved(other, 'finance.example');
      await told(reader, ['reset', 'listed finance']);
      await reader.close();
    });
  });
});
