import {
  type AbstractConnector,
  Cluster,
  type ClusterOptions,
  type Redis,
  type RedisOptions,
  type SentinelConnectionOptions,
  SentinelConnector,
} from 'ioredis';
import { parseRedisAddress, type RedisAddress } from '../../config/checks/redis-address.js';
import { JoinedRedis } from './joined-redis.js';
import { keepOpen } from './keep-open.js';

/** `replyMapping` chooses between overloads, so it cannot be part of options that are passed on. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/** A connection to one Redis server, a Sentinel group or a Cluster. */
export type RedisClient = Redis | Cluster;

/** A connection to one server, of a Cluster or not. */
export type RedisServer = Redis;

/** The behaviour of a connection while Redis is unreachable. */
export type ConnectionUse =
  /** Answers callers: fails within two seconds instead of keeping them waiting. */
  | 'command'
  /** For an operator's command: waits for a slow Redis or a failover, up to half a minute. */
  | 'operator'
  /** Listens to channels: reconnects without end and resubscribes. */
  | 'subscriber'
  /** For BullMQ workers: their blocking reads have no timeout. */
  | 'blocking'
  /** The first contact: its errors are reported, and the server may be of any kind. */
  | 'first';

/** Private members of ioredis' connector. */
interface ConnectorInternals {
  readonly failoverDetector: { cleanup(): void } | null;
  connectToSentinel: (...values: unknown[]) => Redis;
}

/**
 * Connects to the primary named by the Sentinels. Stops its failover detector, which leaves a replaced primary, before
 * each new attempt: a running one would cancel the attempt, and ioredis never retries after that.
 */
class PrimaryConnector extends SentinelConnector {
  /** @param options options of the connection, as ioredis passes them to a connector */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    const internals = this as unknown as ConnectorInternals;
    const { connectToSentinel } = internals;
    // Without a listener ioredis prints the stack of each error. The detector reconnects by itself.
    internals.connectToSentinel = (...values) => connectToSentinel.apply(this, values).on('error', () => undefined);
  }

  override connect(...parameters: Parameters<SentinelConnector['connect']>): ReturnType<AbstractConnector['connect']> {
    (this as unknown as ConnectorInternals).failoverDetector?.cleanup();
    return super.connect(...parameters);
  }
}

const RECONNECT_CAP_MS = 2000;
/** Callers get an error within two seconds of a Redis outage. */
const COMMAND_TIMEOUT_MS = 1500;
/** An operator's command waits through a pause of Redis: half done, it would have to be repeated. */
const OPERATOR_TIMEOUT_MS = 30_000;
/** A loading server answers only between two parts of its data. */
const LOADING_TIMEOUT_MS = 3000;
/** A frozen primary closes no connection: only refreshing the slot map shows that a replica was promoted. */
const SLOTS_REFRESH_MS = 5000;
/** Delay between retries of a command whose node is unreachable. */
const FAILOVER_PAUSE_MS = 100;
/** Until the end of a failover, whose duration its operator has configured. */
const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** Reconnects after 50 ms, 100 ms … at most 2 s: BullMQ's own 20 s would leave workers idle after a short outage. */
function retryStrategy(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_CAP_MS) + Math.floor(Math.random() * 50);
}

/**
 * A primary that became a replica keeps its connections. A refused command was not executed, so it is sent again: 2.
 */
function reconnectOnError(error: Error): 2 | false {
  return error.message.startsWith('READONLY') ? 2 : false;
}

const BY_USE: Readonly<Record<ConnectionUse, Options>> = {
  command: { maxRetriesPerRequest: 1, commandTimeout: COMMAND_TIMEOUT_MS, connectTimeout: 5000 },
  operator: { maxRetriesPerRequest: 20, commandTimeout: OPERATOR_TIMEOUT_MS, connectTimeout: 5000 },
  subscriber: { maxRetriesPerRequest: null, commandTimeout: COMMAND_TIMEOUT_MS },
  blocking: { maxRetriesPerRequest: null, enableReadyCheck: true },
  first: { maxRetriesPerRequest: null, enableReadyCheck: true, protocol: 2 },
};

/**
 * For `INFO` to a loading server, which a ready check would wait for. RESP2: for a refused `HELLO` of RESP3 ioredis may
 * print that a password was supplied, where none was.
 */
const WHILE_LOADING: Options = {
  protocol: 2,
  ...{ enableReadyCheck: false, maxRetriesPerRequest: 1 },
  ...{ commandTimeout: LOADING_TIMEOUT_MS, connectTimeout: LOADING_TIMEOUT_MS },
};

/** Options of a connection besides its address and use. */
export interface ConnectOptions {
  /** The address at present: its credentials are those of the next connection. Default: the one at first. */
  readonly present?: () => string;
  /** Called with each duplicate made by a library. */
  readonly onCopy?: (copy: RedisClient) => void;
}

/**
 * Opens a connection by its address, in the forms of `parseRedisAddress`, which stays open until it is closed. Throws a
 * TypeError for any other form.
 */
export function connect(text: string, use: ConnectionUse, { present, onCopy }: ConnectOptions = {}): RedisClient {
  return keepOpen(open(parseRedisAddress(text), use, retrying(present)), onCopy);
}

/** ioredis calls it as a member of the connection's options, before each reconnection. */
type Retry = (this: Options, times: number) => number;

function retrying(present: (() => string) | undefined): Retry {
  if (present === undefined) return retryStrategy;
  return function (times) {
    Object.assign(this, credentialsIn(parseRedisAddress(present())));
    return retryStrategy(times);
  };
}

function credentialsIn(address: RedisAddress): Options {
  if (address.kind !== 'single') return credentialsOf(address);
  const { username, password } = new URL(address.url);
  return credentialsOf({
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  });
}

function open(address: RedisAddress, use: ConnectionUse, retry: Retry): RedisClient {
  switch (address.kind) {
    case 'single':
      return new JoinedRedis(address.url, { ...BY_USE[use], retryStrategy: retry, reconnectOnError });
    case 'sentinel':
      return connectSentinel(address, { ...BY_USE[use], retryStrategy: retry });
    case 'cluster':
      return connectCluster(address, use);
  }
}

/**
 * Connections to the servers of an address, for a Cluster to each listed node: usable for `INFO` while the servers load
 * their data. Connection errors are not logged: the commands fail.
 */
export function connectWhileLoading(text: string): readonly RedisServer[] {
  const servers = serversOf(parseRedisAddress(text));
  for (const server of servers) server.on('error', () => undefined);
  return servers;
}

function serversOf(address: RedisAddress): readonly RedisServer[] {
  switch (address.kind) {
    case 'single':
      return [new JoinedRedis(address.url, { ...WHILE_LOADING, retryStrategy })];
    case 'sentinel':
      return [connectSentinel(address, { ...WHILE_LOADING, retryStrategy })];
    case 'cluster': {
      const options = {
        ...WHILE_LOADING,
        retryStrategy,
        ...(address.tls ? { tls: {} } : {}),
        ...credentialsOf(address),
      };
      return address.nodes.map(({ host, port }) => new JoinedRedis({ ...options, host, port }));
    }
  }
}

function connectSentinel(address: Extract<RedisAddress, { kind: 'sentinel' }>, options: Options): Redis {
  const { nodes, group, db, tls, sentinelUsername, sentinelPassword } = address;
  return new JoinedRedis({
    ...options,
    ...{ reconnectOnError, sentinelRetryStrategy: retryStrategy },
    ...{ sentinels: [...nodes], name: group, db },
    // A primary demoted in a partition closes nothing: the Sentinels report when to leave it.
    ...{ failoverDetector: true, Connector: PrimaryConnector },
    // A hanging Sentinel accepts connections and answers nothing: the next one is asked.
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...credentialsOf(address),
  });
}

function connectCluster(address: Extract<RedisAddress, { kind: 'cluster' }>, use: ConnectionUse): Cluster {
  const cluster = new Cluster([...address.nodes], {
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    retryDelayOnFailover: FAILOVER_PAUSE_MS,
    retryDelayOnClusterDown: FAILOVER_PAUSE_MS,
    maxRedirections: use === 'command' ? Math.floor(COMMAND_TIMEOUT_MS / FAILOVER_PAUSE_MS) : FOR_EVER,
    // Certificates name hosts, not their addresses.
    ...(address.tls ? { dnsLookup: keepName } : {}),
    redisOptions: { ...BY_USE[use], ...(address.tls ? { tls: {} } : {}), ...credentialsOf(address) },
  });
  // A cluster without nodes queues commands without a time limit; before the start is complete that is wanted.
  if (use === 'command') cluster.once('ready', () => (cluster.options.enableOfflineQueue = false));
  return cluster;
}

const keepName: NonNullable<ClusterOptions['dnsLookup']> = (host, callback) => {
  callback(null, host);
};

function credentialsOf({ username, password }: { readonly username?: string; readonly password?: string }): Options {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}
