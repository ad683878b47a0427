import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Worker } from 'bullmq';
import { isClosed, keepOpen } from '../../../src/platform/redis/connection/keep-open.js';
import { connect, type ConnectionUse, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

const USES: readonly ConnectionUse[] = ['command', 'blocking', 'subscriber'];

/**
 * Ends a connection as a detector of failovers does that outlives its connection: it cancels the attempt to reconnect, after
 * which ioredis does not try again.
 */
async function endByAccident(client: RedisClient): Promise<void> {
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  client.once('connecting', () => {
    (client as unknown as { connector: { disconnect(): void } }).connector.disconnect();
  });
  client.disconnect(true);
  await ended;
}

describe(keepOpen, () => {
  const opened: RedisClient[] = [];
  const open = (use: ConnectionUse, onCopy: (copy: RedisClient) => void = () => undefined): RedisClient => {
    const client = connect(testRedisUrl(), use, { onCopy });
    client.on('error', () => undefined);
    opened.push(client);
    return client;
  };

  afterEach(() => {
    for (const client of opened.splice(0)) if (!isClosed(client)) client.disconnect();
  });

  it.each(USES)('opens a connection again that has ended by accident: %s (I18, C1)', async (use) => {
    const client = open(use);
    await client.ping();
    for (let times = 0; times < 2; times += 1) {
      await endByAccident(client);
      await eventually(() => client.ping());
    }
  });

  it('has a subscriber listen to its channels again', async () => {
    const [subscriber, publisher] = [open('subscriber'), open('command')];
    await subscriber.subscribe('keep-open');
    await endByAccident(subscriber);
    await eventually(async () => {
      const [heard, count] = [once(subscriber, 'message'), await publisher.publish('keep-open', 'hello')];
      expect(count).toBe(1);
      expect(await heard).toEqual(['keep-open', 'hello']);
    });
  });

  it("opens a BullMQ worker's own connection again, and leaves it closed once the worker is", async () => {
    const copies: RedisClient[] = [];
    const connection = open('blocking', (copy) => copies.push(copy));
    const worker = new Worker('keep-open', () => Promise.resolve(), { connection, prefix: 'keep-open' });
    worker.on('error', () => undefined);
    await worker.waitUntilReady();
    const [copy] = copies;
    if (copy === undefined) throw new Error('BullMQ has made no connection of its own');
    await eventually(() => expect(copy.status).toBe('ready'));
    await endByAccident(copy);
    await eventually(() => expect(copy.status).toBe('ready'));
    await worker.close(true);
    await eventually(() => expect([copy.status, isClosed(copy)]).toEqual(['end', true]));
    await connection.ping();
  });

  it('leaves a connection closed that was closed', async () => {
    const client = open('command');
    await client.ping();
    client.disconnect();
    await once(client, 'end');
    await expect(client.ping()).rejects.toThrow('Connection is closed');
    expect(client.status).toBe('end');
  });
});
