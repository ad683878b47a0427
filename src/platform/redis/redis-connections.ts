import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isClosed } from './connection/keep-open.js';
import { presentAddress } from './connection/present-address.js';
import { connect, type ConnectionUse, type RedisClient } from './connection/redis-client.js';
import { complaintOf } from './connection/redis-nodes.js';
import { RedisOptions } from './redis.options.js';

/** A connection of this process. */
export interface NamedConnection {
  readonly name: string;
  readonly client: RedisClient;
  /** Blocks in Redis for seconds at a time without answering other commands: the connection of a BullMQ worker. */
  readonly isBlocked: boolean;
}

/** Opens and names the connections of this process to Redis, and closes them after all their users. */
@Injectable()
export class RedisConnections implements OnApplicationShutdown {
  private readonly log = new Logger('Redis');
  private readonly opened: NamedConnection[] = [];

  /** The address of Redis at present. */
  readonly address: () => string;

  constructor(@Inject(RedisOptions) options: RedisOptions) {
    this.address = presentAddress(options);
  }

  open(name: string, use: ConnectionUse): RedisClient {
    const onCopy = (copy: RedisClient): void => {
      this.add({ name: copyName(name, copy), client: copy, isBlocked: true });
    };
    const client = connect(this.address(), use, { present: this.address, onCopy });
    this.add({ name, client, isBlocked: false });
    return client;
  }

  /** Connections in use. */
  get all(): readonly NamedConnection[] {
    return this.opened.filter(({ client }) => !isClosed(client));
  }

  onApplicationShutdown(): void {
    for (const { client } of this.opened) if (!isClosed(client)) client.disconnect();
  }

  private add(connection: NamedConnection): void {
    this.opened.push(connection);
    this.logChanges(connection);
  }

  /** Without a listener ioredis prints stacks; operators need one line per change of a connection's health. */
  private logChanges({ name, client }: NamedConnection): void {
    let away = false;
    const leave = (reason: string): void => {
      if (!away) this.log.warn({ event: 'redis.away', connection: name, reason });
      away = true;
    };
    client.on('error', (error: Error) => {
      leave(complaintOf(error));
    });
    client.on('end', () => {
      if (!isClosed(client)) leave('the connection has ended; it is opened again');
    });
    client.on('ready', () => {
      if (away) this.log.log({ event: 'redis.back', connection: name });
      away = false;
    });
  }
}

/** BullMQ names the connection of a worker `<prefix>:<queue in base64>`. */
function copyName(name: string, copy: RedisClient): string {
  const options = 'redisOptions' in copy.options ? copy.options.redisOptions : copy.options;
  const queue = (options as { connectionName?: string } | undefined)?.connectionName?.replace(/:[^:]*$/, '') ?? 'copy';
  return `${name} ${queue}`;
}
