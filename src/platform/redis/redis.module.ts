import { Inject, Injectable, Logger, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { Channels } from './channels.js';
import { CommandRedis, RunRedis, SubscriberRedis } from './connections.js';
import { MemoryWatch } from './memory-watch.js';
import { ProcessIdentity } from './process-identity.js';
import { complaintOf } from './redis-nodes.js';
import { connect, type ConnectionUse, type RedisClient } from './redis-client.js';
import { RedisOptions } from './redis.options.js';
import { type ReplicaOptions, Replicas } from './replicas.js';

const NO_WAIT: ReplicaOptions = { replicas: 0, waitMs: 0 };

/** Closes the connections after everything that uses them has ended. */
@Injectable()
class Disconnect implements OnApplicationShutdown {
  constructor(
    @Inject(CommandRedis) private readonly command: CommandRedis,
    @Inject(RunRedis) private readonly run: RunRedis,
    @Inject(SubscriberRedis) private readonly subscriber: SubscriberRedis,
    private readonly replicas: Replicas,
  ) {}

  onApplicationShutdown(): void {
    for (const client of [this.command, this.run, this.subscriber, this.replicas]) client.disconnect();
  }
}

/** Owns the connections to Redis. Knows addresses and reconnects, no keys. */
@Module({
  providers: [
    connection(CommandRedis, 'command'),
    connection(RunRedis, 'blocking'),
    connection(SubscriberRedis, 'subscriber'),
    { provide: Replicas, inject: [RedisOptions], useFactory: replicas },
    ...[Channels, ProcessIdentity, MemoryWatch, Disconnect],
  ],
  exports: [CommandRedis, RunRedis, SubscriberRedis, Replicas, Channels, ProcessIdentity, MemoryWatch],
})
export class RedisModule {}

function connection(provide: symbol, use: ConnectionUse): Provider {
  return {
    provide,
    inject: [RedisOptions],
    useFactory: ({ address }: RedisOptions) => logged(connect(address, use), use),
  };
}

function replicas({ address, wait = NO_WAIT }: RedisOptions): Replicas {
  return wait.replicas === 0 ? Replicas.none() : new Replicas(logged(connect(address, 'command'), 'command'), wait);
}

/** Without a listener ioredis prints stacks; one line per change of the connection's health is what an operator needs. */
function logged(client: RedisClient, use: ConnectionUse): RedisClient {
  const log = new Logger('Redis');
  let away = false;
  client.on('error', (error: Error) => {
    if (!away) log.warn({ event: 'redis.away', connection: use, reason: complaintOf(error) });
    away = true;
  });
  client.on('ready', () => {
    if (away) log.log({ event: 'redis.back', connection: use });
    away = false;
  });
  return client;
}
