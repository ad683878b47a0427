import { connect as dial, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type RedisClient } from '../../../src/platform/redis/connection/redis-client.js';
import { isRedisOutage } from '../../../src/platform/redis/connection/redis-outage.js';
import { Replicas } from '../../../src/platform/redis/replicas.js';
import { eventually } from '../../kit/run/eventually.js';
import { testRedisUrl } from '../../kit/redis/shared-redis.js';

/** A wire to Redis that is cut after a number of bytes of replies, once. */
class CutWire {
  private left = Infinity;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(private readonly redis: URL) {
    this.server = createServer((near) => {
      const far = dial(Number(redis.port), redis.hostname);
      this.sockets.add(near.on('error', () => undefined).on('close', () => far.destroy()));
      near.pipe(far);
      far.on('error', () => undefined).on('data', (bytes) => this.pass(bytes, near));
    });
  }

  async listen(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    const address = this.server.address();
    const url = new URL(this.redis);
    url.host = `127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
    return url.href;
  }

  cutAfter(bytes: number): void {
    this.left = bytes;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private pass(bytes: Buffer, near: Socket): void {
    if (bytes.length < this.left) {
      this.left -= bytes.length;
      near.write(bytes);
      return;
    }
    near.write(bytes.subarray(0, this.left));
    this.left = Infinity;
    near.end();
    near.destroySoon();
  }
}

/** The replies of none is longer. */
const MAX_BYTES = 60;

describe(isRedisOutage, () => {
  const wire = new CutWire(new URL(testRedisUrl()));
  let redis: RedisClient;

  beforeAll(async () => {
    redis = connect(await wire.listen(), 'command');
    redis.on('error', () => undefined);
  });

  afterAll(async () => {
    await redis.del('cut-replies', 'cut-replies:mark');
    redis.disconnect();
    wire.close();
  });

  const CALLS: readonly { readonly name: string; readonly call: () => Promise<unknown> }[] = [
    {
      name: 'the pipeline that waits for replicas',
      call: () =>
        new Replicas(redis, { replicas: 0, waitMs: 50 }).confirm(
          'cut-replies:mark',
          { key: 'cut-replies', fields: ['a', 'b'] },
          () => true,
        ),
    },
    {
      name: 'a pipeline of reads',
      call: async () => {
        const found = await redis.pipeline().hget('cut-replies', 'a').hgetall('cut-replies').ttl('cut-replies').exec();
        for (const [error] of found ?? []) if (error !== null) throw error;
      },
    },
    {
      name: 'a transaction of two',
      call: () => redis.multi().hset('cut-replies', 'a', '1').pexpire('cut-replies', 60_000).exec(),
    },
    {
      name: 'a transaction of three',
      call: () => redis.multi().hdel('cut-replies', 'b').hset('cut-replies', 'b', '1').hlen('cut-replies').exec(),
    },
    { name: 'one command', call: () => redis.hgetall('cut-replies') },
  ];

  it.each(CALLS)(
    'knows $name, cut after any byte of its replies, as an outage (M1)',
    async ({ call }) => {
      const unknown: string[] = [];
      for (let bytes = 0; bytes < MAX_BYTES; bytes += 1) {
        await eventually(() => redis.ping());
        wire.cutAfter(bytes);
        await call().catch((error: unknown) => {
          if (!isRedisOutage(error)) unknown.push(`${String(bytes)}: ${String(error)}`);
        });
        wire.cutAfter(Infinity);
      }
      expect(unknown).toEqual([]);
    },
    60_000,
  );
});
