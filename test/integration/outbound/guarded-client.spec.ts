import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { parseAllowList } from '../../../src/outbound/allow-list.js';
import { EgressTimeoutError, EgressTransportError } from '../../../src/outbound/egress.errors.js';
import { GuardedClient, type EgressOptions } from '../../../src/outbound/guarded-client.js';
import { certificateFor } from './certificate.js';

const DEADLINES = { dns: 200, connect: 300, headers: 400, total: 900 };
const open: (() => Promise<unknown>)[] = [];

async function listen(server: Server | TcpServer): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function receiver(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  const port = await listen(server);
  return `http://localhost:${String(port)}/hook`;
}

function clientFor(url: string, options: Partial<EgressOptions> = {}): GuardedClient {
  const { hostname, port } = new URL(url);
  const allow = parseAllowList(`${hostname}:${port}=127.0.0.0/8!http`);
  const resolve = (): Promise<readonly string[]> => Promise.resolve(['127.0.0.1']);
  const client = new GuardedClient({
    ports: [443],
    allowHttp: false,
    allow,
    resolve,
    deadlines: DEADLINES,
    ...options,
  });
  open.push(() => client.close());
  return client;
}

function post(client: GuardedClient, url: string): ReturnType<GuardedClient['request']> {
  return client.request({ method: 'POST', url, headers: { 'x-a': 'b' }, body: '{"a":1}' });
}

describe(GuardedClient.name, () => {
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  it('sends the request as given and reads the answer', async () => {
    const seen: unknown[] = [];
    const url = await receiver((request, response) => {
      request.on('data', (body: Buffer) =>
        seen.push([request.headers['x-a'], request.headers['accept-encoding'], String(body)]),
      );
      request.on('end', () => response.writeHead(202, { 'Retry-After': '7' }).end('thanks'));
    });
    const response = await post(clientFor(url), url);
    expect(seen).toEqual([['b', 'identity', '{"a":1}']]);
    expect([response.status, response.headers['retry-after'], String(response.body)]).toEqual([202, '7', 'thanks']);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    let visits = 0;
    const elsewhere = await receiver((_, response) => {
      visits += 1;
      response.end();
    });
    const url = await receiver((_, response) => response.writeHead(status, { location: elsewhere }).end());
    expect((await post(clientFor(url), url)).status).toBe(status);
    expect(visits).toBe(0);
  });

  it('ignores proxy variables', async () => {
    let visits = 0;
    const proxy = await receiver((_, response) => {
      visits += 1;
      response.end();
    });
    const url = await receiver((_, response) => response.end());
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
    for (const name of names) process.env[name] = proxy;
    try {
      expect((await post(clientFor(url), url)).status).toBe(200);
      expect(visits).toBe(0);
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    }
  });

  it('reads at most the cap of an endless body', async () => {
    let closed = false;
    const url = await receiver((_, response) => {
      const pump = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
      response.on('close', () => {
        clearInterval(pump);
        closed = true;
      });
    });
    const response = await post(clientFor(url), url);
    expect([response.status, response.body.length, response.truncated]).toEqual([200, 16 * 1024, true]);
    await eventually(() => closed);
  });

  it('never decompresses', async () => {
    const packed = gzipSync(Buffer.alloc(1_000_000));
    const url = await receiver((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed));
    const response = await post(clientFor(url), url);
    expect(response.body.equals(packed)).toBe(true);
  });

  it('stops waiting for a name server', async () => {
    const url = await receiver((_, response) => response.end());
    const client = clientFor(url, { resolve: () => new Promise(() => undefined) });
    await expect(post(client, url)).rejects.toMatchObject({ name: EgressTimeoutError.name, phase: 'dns' });
  });

  it('stops waiting for a TLS handshake', async () => {
    const port = await listen(createTcpServer());
    const url = `https://localhost:${String(port)}/`;
    await expect(post(clientFor(url), url)).rejects.toMatchObject({ name: EgressTimeoutError.name, phase: 'connect' });
  });

  it('stops waiting for headers', async () => {
    const url = await receiver(() => undefined);
    // undici's timers are half a second coarse.
    const client = clientFor(url, { deadlines: { ...DEADLINES, total: 5000 } });
    await expect(post(client, url)).rejects.toMatchObject({ name: EgressTimeoutError.name, phase: 'headers' });
  });

  it('stops reading a body that drips', async () => {
    const url = await receiver((_, response) => {
      const drip = setInterval(() => response.write('.'), 50);
      response.on('close', () => {
        clearInterval(drip);
      });
    });
    await expect(post(clientFor(url), url)).rejects.toMatchObject({ name: EgressTimeoutError.name, phase: 'total' });
  });

  it('stops when its caller aborts', async () => {
    const url = await receiver(() => undefined);
    const controller = new AbortController();
    const pending = clientFor(url).request({ method: 'GET', url, signal: controller.signal });
    controller.abort(new Error('shutting down'));
    await expect(pending).rejects.toThrow('shutting down');
  });

  it('says what broke', async () => {
    const reset = await listen(createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
    const noise = await listen(createTcpServer((socket) => socket.end('not http\r\n\r\n')));
    for (const [port, code] of [
      [reset, 'reset'],
      [noise, 'protocol'],
      [1, 'connect'],
    ] as const) {
      const url = `http://localhost:${String(port)}/`;
      await expect(post(clientFor(url), url)).rejects.toMatchObject({ name: EgressTransportError.name, code });
    }
    const unknown = clientFor('http://localhost:9/', { resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(post(unknown, 'http://localhost:9/')).rejects.toMatchObject({ code: 'dns' });
  });

  it('tries the next address when the first one refuses', async () => {
    const url = await receiver((_, response) => response.end('here'));
    const client = clientFor(url, { resolve: () => Promise.resolve(['127.0.0.9', '127.0.0.1']) });
    expect(String((await post(client, url)).body)).toBe('here');
  });

  describe('over TLS', () => {
    const certificate = certificateFor('hooks.example.com');
    const names: unknown[] = [];

    async function secureReceiver(): Promise<number> {
      const server = createTlsServer(certificate, (request, response) => {
        names.push(Reflect.get(request.socket, 'servername'));
        response.end('secure');
      });
      return listen(server);
    }

    it('connects to the checked address but asks for the name', async () => {
      const url = `https://hooks.example.com:${String(await secureReceiver())}/`;
      const response = await post(clientFor(url, { ca: certificate.cert }), url);
      expect([String(response.body), names.pop()]).toEqual(['secure', 'hooks.example.com']);
    });

    it.each([
      ['a certificate of another name', 'other.example.com', certificate.cert],
      ['a certificate that nobody vouches for', 'hooks.example.com', undefined],
    ])('refuses %s, whatever the environment says', async (_, host, ca) => {
      const url = `https://${host}:${String(await secureReceiver())}/`;
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        const client = clientFor(url, ca === undefined ? {} : { ca });
        await expect(post(client, url)).rejects.toMatchObject({ name: EgressTransportError.name, code: 'tls' });
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
    });
  });
});

async function eventually(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 2000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('did not happen within 2 s');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
