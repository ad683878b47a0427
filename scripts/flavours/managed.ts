import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { settingsFile } from '../../test/kit/app/settings-file.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { ADMINISTRATIVE, StrictRedis, type StrictLimits } from '../../test/kit/redis/strict/strict-redis.js';
import { temporaryFolder } from '../../test/kit/run/temporary-folder.mjs';
import type { Address } from './uses.js';

const IDLE_MS = 4_000;

/** A managed service as its documentation limits it: emulated by a proxy in front of a real server. */
export interface Managed {
  readonly name: string;
  readonly limits: StrictLimits;
  /** Findings that its operator has to accept. */
  readonly accept: readonly string[];
}

/** A user with the rights of docs/operations.md, TLS of its own authority, no administrative commands, idle connections closed. */
function elastiCache(): Managed {
  const info = { os: 'Amazon ElastiCache', aof_enabled: '0' };
  return {
    name: 'ElastiCache, emulated: no CONFIG, user of a prefix, TLS of its own authority, closes idle connections',
    limits: { refused: ADMINISTRATIVE, idleMs: IDLE_MS, info, tls: certificate() },
    accept: [],
  };
}

/** One virtual node of a Cluster with strict keys, few arguments, small buffers, late messages and a hidden policy. */
function serverless(): Managed {
  return {
    name: 'ElastiCache Serverless, emulated: MOVED to itself, strict keys, 3,999 arguments, policy hidden',
    limits: {
      ...{ refused: ADMINISTRATIVE, maxArguments: 3_999, isStrictAboutKeys: true, isVirtualCluster: true },
      ...{ publishDelayMs: 20, subscriberBytes: 1024 * 1024 },
      info: { os: 'Amazon ElastiCache', maxmemory_policy: undefined, redis_mode: 'cluster', aof_enabled: '0' },
    },
    accept: ['policy'],
  };
}

export function managedServices(): readonly Managed[] {
  return [elastiCache(), serverless()];
}

/** The proxy of a managed service in front of a server, whose user has the rights of one prefix. */
export class ManagedRedis {
  private constructor(
    readonly strict: StrictRedis,
    private readonly managed: Managed,
  ) {}

  static async before(server: RedisServer, managed: Managed, keyPrefix: string): Promise<ManagedRedis> {
    const admin = new Redis(server.url);
    const rights = `~${keyPrefix}:* ~{${keyPrefix}-* &${keyPrefix}:* +@all -@admin -@dangerous +info`;
    await admin.acl('SETUSER', 'service', 'reset', 'on', '>secret', ...rights.split(' '));
    admin.disconnect();
    return new ManagedRedis(await StrictRedis.before(server.port, managed.limits), managed);
  }

  get address(): Address {
    return { url: this.strict.url('service:secret@'), variables: variablesOf(this.managed) };
  }
}

/** What a service needs besides the address. */
export function variablesOf({ limits, accept }: Managed): Readonly<Record<string, string>> {
  return {
    ...(limits.tls === undefined ? {} : { NODE_EXTRA_CA_CERTS: AUTHORITY }),
    ...(accept.length === 0 ? {} : { PARLEY_FILE: settingsFile({ redis: { accept: accept.join(' ') } }) }),
  };
}

const FOLDER = temporaryFolder('flavours');
const [KEY, AUTHORITY] = [join(FOLDER, 'key.pem'), join(FOLDER, 'cert.pem')];

/** Signed by itself: what Node trusts with NODE_EXTRA_CA_CERTS only. */
function certificate(): { readonly cert: string; readonly key: string } {
  const names = ['-subj', '/CN=parley-flavours', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', KEY];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, '-out', AUTHORITY, ...names], { stdio: 'ignore' });
  return { cert: readFileSync(AUTHORITY, 'utf8'), key: readFileSync(KEY, 'utf8') };
}
