import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { requestOf, type RedisRequest, RespReader } from './resp-reader.js';
import { StrictScripts } from './strict-scripts.js';

/** What a managed service refuses or does, by its documentation. */
export interface StrictLimits {
  /** Commands that it does not know, in capitals. */
  readonly refused?: readonly string[];
  /** Arguments of a request, its name among them. */
  readonly maxArguments?: number;
  /** Whether scripts may touch the keys that they are given only. */
  readonly isStrictAboutKeys?: boolean;
  /** A connection without a request for this long is closed. */
  readonly idleMs?: number;
  /** One node that owns all slots, and sends each client to itself once (ElastiCache Serverless). */
  readonly isVirtualCluster?: boolean;
  /** What reaches subscribers is this late. */
  readonly publishDelayMs?: number;
  /** A subscriber is cut after this many bytes. */
  readonly subscriberBytes?: number;
  /** Lines of INFO by their name; undefined removes one. */
  readonly info?: Readonly<Record<string, string | undefined>>;
  /** Certificate and key of its own authority. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** What no managed service gives its users. */
export const ADMINISTRATIVE: readonly string[] = [
  ...['ACL', 'BGREWRITEAOF', 'BGSAVE', 'CONFIG', 'DEBUG', 'FAILOVER', 'KEYS', 'MIGRATE', 'MODULE', 'MONITOR', 'PSYNC'],
  ...['REPLICAOF', 'ROLE', 'SAVE', 'SHUTDOWN', 'SLAVEOF', 'SYNC', 'FLUSHALL', 'FLUSHDB', 'SCRIPT|FLUSH'],
];

const REFUSE = 'return redis.error_reply(ARGV[1])';
const INFO = `local text = redis.call('INFO', unpack(KEYS))
for at = 1, #ARGV, 2 do
  local line = ARGV[at + 1] == '' and '' or ARGV[at] .. ':' .. ARGV[at + 1] .. '\\r\\n'
  local found
  text, found = string.gsub(text, ARGV[at] .. ':[^\\r\\n]*\\r\\n', line)
  if found == 0 and line ~= '' and string.find(text, '# Server') then text = string.gsub(text, '# Server\\r\\n', '# Server\\r\\n' .. line) end
end
return text`;
const SLOTS = "return { { 0, 16383, { ARGV[1], tonumber(ARGV[2]), 'virtual' } } }";
const WITHOUT_KEYS =
  /^(?:AUTH|CLIENT|CLUSTER|COMMAND|ECHO|EVAL|EVALSHA|HELLO|INFO|MULTI|EXEC|PING|P?SUBSCRIBE|READONLY|SCRIPT|SELECT|QUIT|WAIT)$/;

/**
 * A Redis with the limits of a managed service: a proxy in front of a real one. A refused request is replaced by a script that
 * gives its error, so that replies keep their order.
 */
export class StrictRedis {
  /** The largest number of arguments of a request so far. */
  mostArguments = 0;
  /** Texts of refusals so far. */
  readonly refusals = new Set<string>();
  /** Connections that were closed for being idle, and subscribers that were cut. */
  cuts = 0;
  private readonly scripts = new StrictScripts();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly behind: number,
    private readonly limits: StrictLimits,
  ) {}

  /** @param port of the real server, on loopback */
  static async before(port: number, limits: StrictLimits): Promise<StrictRedis> {
    const server = limits.tls === undefined ? createServer() : createTlsServer(limits.tls);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const strict = new StrictRedis(server, port, limits);
    server.on(limits.tls === undefined ? 'connection' : 'secureConnection', (near: Socket) => {
      strict.serve(near);
    });
    return strict;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  /** @param credentials `user:password@` */
  url(credentials = ''): string {
    const scheme = `redis${this.limits.tls === undefined ? '' : 's'}${this.limits.isVirtualCluster === true ? '-cluster' : ''}`;
    return `${scheme}://${credentials}127.0.0.1:${String(this.port)}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(near: Socket): void {
    const far = connect(this.behind, '127.0.0.1');
    const [reader, session] = [new RespReader(), { isMoved: false, isSubscriber: false, bytes: 0 }];
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    if (this.limits.idleMs !== undefined) {
      near.setTimeout(this.limits.idleMs, () => {
        this.cuts += 1;
        near.destroy();
      });
    }
    near.on('data', (bytes) => {
      for (const request of reader.read(bytes)) far.write(this.replaced(request, session));
    });
    far.on('data', (bytes) => {
      this.answer(near, bytes, session);
    });
  }

  private answer(near: Socket, bytes: Buffer, session: Session): void {
    if (!session.isSubscriber) {
      near.write(bytes);
      return;
    }
    session.bytes += bytes.length;
    if (session.bytes > (this.limits.subscriberBytes ?? Infinity)) {
      this.cuts += 1;
      near.destroy();
      return;
    }
    setTimeout(() => near.destroyed || near.write(bytes), this.limits.publishDelayMs ?? 0);
  }

  /** The bytes for the real server. */
  private replaced({ words, bytes }: RedisRequest, session: Session): Buffer {
    const [name = '', second = ''] = words
      .map(String)
      .slice(0, 2)
      .map((word) => word.toUpperCase());
    const { refused = [], maxArguments = Infinity, isStrictAboutKeys, isVirtualCluster, info } = this.limits;
    this.mostArguments = Math.max(this.mostArguments, words.length);
    if (/^P?SUBSCRIBE$/.test(name)) session.isSubscriber = true;
    if (refused.includes(name) || refused.includes(`${name}|${second}`))
      return this.refuse(`ERR unknown command '${name}'`);
    if (words.length > maxArguments) return this.refuse(`ERR ${name} has too many arguments`);
    if (isVirtualCluster === true) {
      const special = this.asCluster({ name, second }, session);
      if (special !== undefined) return special;
    }
    if (name === 'INFO' && info !== undefined) return infoRequest(words.slice(1), info);
    return isStrictAboutKeys === true ? this.guarded(name, words, bytes) : bytes;
  }

  private asCluster(
    { name, second }: { readonly name: string; readonly second: string },
    session: Session,
  ): Buffer | undefined {
    if (name === 'READONLY') return requestOf('PING');
    if (name === 'CLUSTER' && second === 'SLOTS') return requestOf('EVAL', SLOTS, '0', '127.0.0.1', String(this.port));
    if (name === 'CLUSTER' && second === 'INFO') return requestOf('EVAL', "return 'cluster_state:ok'", '0');
    if (session.isMoved || session.isSubscriber || WITHOUT_KEYS.test(name)) return undefined;
    session.isMoved = true;
    return this.refuse(`MOVED 0 127.0.0.1:${String(this.port)}`);
  }

  private guarded(name: string, words: readonly Buffer[], bytes: Buffer): Buffer {
    const [, text = Buffer.alloc(0), ...rest] = words;
    if (name === 'EVAL') return requestOf('EVAL', this.scripts.learn(text.toString()), ...rest);
    if (name === 'SCRIPT' && String(text).toUpperCase() === 'LOAD') this.scripts.learn(String(rest[0]));
    if (name !== 'EVALSHA') return bytes;
    const known = this.scripts.find(text.toString());
    return known === undefined ? this.refuse('NOSCRIPT No matching script') : requestOf('EVAL', known, ...rest);
  }

  private refuse(text: string): Buffer {
    this.refusals.add(text);
    return requestOf('EVAL', REFUSE, '0', text);
  }
}

interface Session {
  isMoved: boolean;
  isSubscriber: boolean;
  bytes: number;
}

function infoRequest(sections: readonly Buffer[], lines: NonNullable<StrictLimits['info']>): Buffer {
  const changes = Object.entries(lines).flatMap(([name, value = '']) => [name, value]);
  return requestOf('EVAL', INFO, String(sections.length), ...sections, ...changes);
}
