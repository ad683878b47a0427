import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Rewrite, RewrittenCard } from './rewriter.js';

/** What a gateway does to the calls that it passes on; nothing by default. */
export interface Faults {
  /** Changes the card of the service. */
  readonly rewrites?: Rewrite;
  /** The path of its route, which it strips. */
  readonly prefix?: string;
  /** Sends its own host and prefix on, as `X-Forwarded-*`. */
  readonly forwards?: boolean;
  /** Holds an answer back until it has all of it. */
  readonly buffers?: boolean;
  /** Cuts answers after this time. */
  readonly cutsAfterMs?: number;
  /** Unpacks answers, and leaves the header that says they are packed. */
  readonly gunzips?: boolean;
  /** Headers of requests and answers that it does not pass on. */
  readonly drops?: readonly string[];
  /** Paths that it answers itself with a page and 200. */
  readonly pagesAt?: RegExp;
}

/** A gateway with faults before a service. */
export class Gateway {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async before(service: string, faults: () => Faults): Promise<Gateway> {
    const server = createServer((asked, answer) => {
      pass({ asked, answer }, service, faults());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gateway(server, `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

interface Sides {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
}

function pass({ asked, answer }: Sides, service: string, faults: Faults): void {
  const { prefix = '', drops = [] } = faults;
  const path = (asked.url ?? '/').slice((asked.url ?? '/').startsWith(prefix) ? prefix.length : 0);
  if (faults.pagesAt?.test(path) === true) {
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Portal</title>');
    return;
  }
  const own = {
    'x-forwarded-host': asked.headers.host ?? '',
    ...(prefix === '' ? {} : { 'x-forwarded-prefix': prefix }),
  };
  const headers = without(
    { ...asked.headers, host: new URL(service).host, ...(faults.forwards === true ? own : {}) },
    drops,
  );
  const passed = request(new URL(path === '' ? '/' : path, service), { method: asked.method, headers }, (got) => {
    const more = faults.gunzips === true ? { 'content-encoding': 'gzip' } : {};
    const isCard = path.includes('agent-card.json') && faults.rewrites !== undefined;
    const head = without({ ...got.headers, ...more }, [...drops, ...(isCard ? ['content-length'] : [])]);
    answer.writeHead(got.statusCode ?? 502, head);
    if (faults.cutsAfterMs !== undefined) setTimeout(() => answer.destroy(), faults.cutsAfterMs).unref();
    if (!isCard && faults.buffers !== true) {
      got.pipe(answer);
      return;
    }
    const chunks: Buffer[] = [];
    got.on('data', (chunk: Buffer) => chunks.push(chunk));
    got.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const base = `http://${asked.headers.host ?? ''}${prefix}`;
      const card = isCard ? faults.rewrites(JSON.parse(body) as RewrittenCard, base) : undefined;
      answer.end(card === undefined ? body : JSON.stringify(card));
    });
  });
  passed.on('error', () => answer.destroy());
  asked.pipe(passed);
}

function without<T extends object>(headers: T, names: readonly string[]): T {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))) as T;
}
