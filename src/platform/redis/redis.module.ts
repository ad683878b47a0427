import { Module, type Provider } from '@nestjs/common';
import { Channels } from './connection/channels.js';
import { CommandRedis, RunRedis, SubscriberRedis } from './connection/connections.js';
import { MemoryWatch } from './health/memory-watch.js';
import { ProcessIdentity } from './process-identity.js';
import type { ConnectionUse, RedisClient } from './connection/redis-client.js';
import { RedisClock, RedisClockWatch } from './redis-clock.js';
import { RedisConnections } from './redis-connections.js';
import { RedisOptions } from './redis.options.js';
import { Replicas } from './replicas.js';

/** Owns the connections to Redis: addresses and reconnects, no keys. */
@Module({
  providers: [
    RedisConnections,
    { provide: CommandRedis, inject: [RedisConnections, RedisOptions], useFactory: command },
    connection(RunRedis, 'run', 'blocking'),
    connection(SubscriberRedis, 'subscriber'),
    { provide: Replicas, inject: [RedisConnections, RedisOptions], useFactory: replicas },
    { provide: ProcessIdentity, inject: [RedisOptions], useFactory: identity },
    ...[Channels, MemoryWatch, RedisClock, RedisClockWatch],
  ],
  exports: [
    CommandRedis,
    RunRedis,
    SubscriberRedis,
    RedisClock,
    RedisConnections,
    Replicas,
    Channels,
    ProcessIdentity,
    MemoryWatch,
  ],
})
export class RedisModule {}

function connection(provide: symbol, name: string, use = name as ConnectionUse): Provider {
  return {
    provide,
    inject: [RedisConnections],
    useFactory: (connections: RedisConnections) => connections.open(name, use),
  };
}

function identity({ identity: known = new ProcessIdentity() }: RedisOptions): ProcessIdentity {
  return known;
}

function command(connections: RedisConnections, { isOperator = false }: RedisOptions): RedisClient {
  return connections.open('command', isOperator ? 'operator' : 'command');
}

function replicas(connections: RedisConnections, { wait }: RedisOptions): Replicas {
  if (wait === undefined || wait.replicas === 0) return Replicas.none();
  return new Replicas(connections.open('replicas', 'command'), wait);
}
