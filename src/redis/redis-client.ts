import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import { JoinedRedis } from './joined-redis.js';

/** `replyMapping` chooses between overloads, so it cannot stand in options that are passed on. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/** A connection to one Redis server, a Sentinel group or a Cluster. */
export type RedisClient = Redis | Cluster;

/** How a connection behaves while Redis is away. */
export type ConnectionUse =
  /** Answers callers: fails within two seconds rather than keep them waiting. */
  | 'command'
  /** Listens to channels: reconnects for ever and subscribes again. */
  | 'subscriber'
  /** Belongs to BullMQ workers, whose blocking reads may wait for ever. */
  | 'blocking';

const RECONNECT_CAP_MS = 2000;
/** A caller hears within two seconds that Redis is away. */
const COMMAND_TIMEOUT_MS = 1500;

/** Reconnects after 50 ms, 100 ms … at most 2 s: BullMQ's own 20 s would leave workers idle after a short outage. */
function retryStrategy(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_CAP_MS) + Math.floor(Math.random() * 50);
}

const BY_USE: Readonly<Record<ConnectionUse, Options>> = {
  command: { maxRetriesPerRequest: 1, commandTimeout: COMMAND_TIMEOUT_MS, connectTimeout: 5000 },
  subscriber: { maxRetriesPerRequest: null, commandTimeout: COMMAND_TIMEOUT_MS },
  blocking: { maxRetriesPerRequest: null, enableReadyCheck: true },
};

/**
 * Opens a connection by its address: `redis://`, `rediss://`, `redis-sentinel://host:port,host:port/group` or
 * `redis-cluster://host:port,host:port`. Throws a TypeError for any other form.
 */
export function connect(address: string, use: ConnectionUse): RedisClient {
  const options: Options = { ...BY_USE[use], retryStrategy };
  const scheme = address.slice(0, address.indexOf(':'));
  switch (scheme) {
    case 'redis':
    case 'rediss':
      return new JoinedRedis(address, options);
    case 'redis-sentinel':
      return connectSentinel(parseNodes(address), options);
    case 'redis-cluster':
      return connectCluster(parseNodes(address), options);
    default:
      throw new TypeError('must begin with redis://, rediss://, redis-sentinel:// or redis-cluster://');
  }
}

interface NodeList {
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username?: string;
  readonly password?: string;
  readonly path: string;
}

function parseNodes(address: string): NodeList {
  const match = /^redis-(?:sentinel|cluster):\/\/(?:([^:@/]*):([^@/]*)@)?([^/]+)(?:\/(.*))?$/.exec(address);
  if (match === null) throw new TypeError('must list its nodes as host:port,host:port');
  const [, username, password, hosts = '', path = ''] = match;
  const nodes = hosts.split(',').map((item) => {
    const url = new URL(`redis://${item}`);
    return { host: url.hostname, port: url.port === '' ? 6379 : Number(url.port) };
  });
  return {
    nodes,
    path,
    ...(username === undefined || username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === undefined || password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

function connectSentinel({ nodes, path, username, password }: NodeList, options: Options): Redis {
  return new JoinedRedis({
    ...options,
    sentinels: [...nodes],
    name: path === '' ? 'mymaster' : path,
    sentinelRetryStrategy: retryStrategy,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  });
}

function connectCluster({ nodes, username, password }: NodeList, options: Options): Cluster {
  return new Cluster([...nodes], {
    clusterRetryStrategy: retryStrategy,
    redisOptions: {
      ...options,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    },
  });
}
