interface Fault {
  readonly text: string;
  readonly fix: string;
}

/** A server that speaks Redis's protocol, as its INFO names it. */
export interface Flavour {
  /** Its word in `redis.accept`. */
  readonly id: string;
  readonly name: string;
  /** Version of the product; absent where INFO has none. */
  readonly version?: string;
  /** Why the service does not use it, unless the operator accepts it. */
  readonly refusal?: Fault;
  /** Limits that the operator has to know, each one sentence. */
  readonly limits: readonly string[];
  /** Whether probes decide at start: the suites of the service do not run on it. */
  readonly isProbed: boolean;
  /** Judged instead of `appendonly`: the product keeps writes by means of its own, or has the fault. */
  readonly durability?: 'own' | Fault;
  /** Whether it has no eviction policy, and evicts nothing. */
  readonly neverEvicts: boolean;
}

/** A row of the table: the line of INFO by which a product is known. */
interface Row extends Partial<Omit<Flavour, 'version'>> {
  readonly id: string;
  readonly name: string;
  readonly known: RegExp;
  /** The field with its own version, else that of Valkey or Redis; `redis_version` is the one whose commands it has. */
  readonly versionField?: string;
}

const ELASTICACHE_LIMITS = [
  'It has no append-only file: a lost node loses what no replica has (REDIS_WAIT_REPLICAS=1 waits for one), unless the cluster has durability "sync"',
  'Its default maxmemory-policy is volatile-lru: choose a parameter group with noeviction',
];

/** Products, the special ones first: most report themselves as the Redis whose commands they have. */
const TABLE: readonly Row[] = [
  {
    ...{ id: 'dragonfly', name: 'Dragonfly', known: /^dragonfly_version:/m, versionField: 'dragonfly_version' },
    isProbed: true,
    durability: {
      text: 'Dragonfly has snapshots only: tasks since the last one are lost when it ends',
      fix: 'use Redis or Valkey with appendonly yes, or take snapshots often',
    },
    limits: ['Start it with --cluster_mode=emulated --lock_on_hashtags and without --cache_mode'],
  },
  {
    ...{ id: 'keydb', name: 'KeyDB', known: /^(?:mvcc_depth:|executable:.*keydb)/m },
    refusal: {
      text: 'KeyDB is no longer maintained, and the service is not tested on it',
      fix: 'move to Valkey or Redis',
    },
  },
  { id: 'garnet', name: 'Garnet', known: /^garnet_version:/m, versionField: 'garnet_version', isProbed: true },
  { id: 'kvrocks', name: 'Kvrocks', known: /^kvrocks_version:/m, versionField: 'kvrocks_version', isProbed: true },
  {
    ...{ id: 'upstash', name: 'Upstash', known: /^upstash_version:/m, versionField: 'upstash_version', isProbed: true },
    durability: 'own',
    neverEvicts: true,
    limits: [
      'It is billed by the command, and idle processes send some all the time',
      'Small plans refuse requests of more than 1 MB: messages with larger files are refused there',
    ],
  },
  {
    ...{ id: 'memorydb', name: 'MemoryDB', known: /^os:Amazon MemoryDB/m },
    durability: 'own',
  },
  {
    ...{ id: 'elasticache', name: 'ElastiCache', known: /^os:Amazon ElastiCache/m },
    durability: 'own',
    limits: ELASTICACHE_LIMITS,
  },
  {
    ...{ id: 'enterprise', name: 'Redis Enterprise', known: /^rlec_version:/m, versionField: 'rlec_version' },
    isProbed: true,
    limits: ['Choose the OSS cluster policy, or no clustering: the proxy of the Enterprise policy is not tested'],
  },
  { id: 'valkey', name: 'Valkey', known: /^(?:valkey_version:|server_name:valkey)/m },
  { id: 'javascript', name: 'js-redis-server', known: /^os:mocked redis/m, neverEvicts: true },
  { id: 'redis', name: 'Redis', known: /^redis_version:/m },
];

const UNKNOWN: Flavour = {
  id: 'unknown',
  name: 'A server of unknown kind',
  limits: [],
  isProbed: true,
  neverEvicts: false,
};

/** The product with this INFO; undefined INFO: it is refused to this user. */
export function flavourOf(info: string | undefined): Flavour {
  const row = info === undefined ? undefined : TABLE.find(({ known }) => known.test(info));
  if (row === undefined) return UNKNOWN;
  const { known: _known, versionField = 'valkey_version', ...product } = row;
  const version = (fieldOf(info, versionField) ?? fieldOf(info, 'redis_version'))?.replace(/^df-v/, '');
  return { limits: [], isProbed: false, neverEvicts: false, ...product, ...(version === undefined ? {} : { version }) };
}

/** Name and version of a product for people. */
export function flavourName({ name, version }: Flavour): string {
  return version === undefined ? name : `${name} ${version}`;
}

/** The value of a field of INFO. */
export function fieldOf(info: string | undefined, name: string): string | undefined {
  return info === undefined ? undefined : new RegExp(`^${name}:(\\S*)`, 'm').exec(info)?.[1];
}
