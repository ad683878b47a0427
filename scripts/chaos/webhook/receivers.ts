import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificateFor } from '../../../test/integration/outbound/certificate.js';
import { type Arrival, arrivalOf } from './arrivals.js';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** More than any reader takes of an answer, including socket buffers. */
const MUCH = 8 * 1024 * 1024;
const GIBIBYTE = 1024 ** 3;

/** A webhook receiver on loopback. */
export class ChaosReceiver {
  readonly arrivals: Arrival[] = [];
  /** Requests to the target of a redirect. */
  followed = 0;
  /** The most bytes that an answer got rid of. */
  mostSent = 0;
  /** Called with each webhook before it is answered. */
  onArrival: ((arrival: Arrival) => void) | undefined;
  private readonly server: Server;

  constructor(
    readonly name: string,
    private readonly behave: Behaviour,
    readonly isSecure = false,
  ) {
    const handler = (request: IncomingMessage, response: ServerResponse): void => {
      this.receive(request, response);
    };
    this.server = isSecure ? createTlsServer(certificateFor('somebody.else'), handler) : createServer(handler);
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get origin(): string {
    return `${this.isSecure ? 'https' : 'http'}://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  get allowEntry(): string {
    return `localhost:${(this.server.address() as AddressInfo).port}=127.0.0.1/32${this.isSecure ? '' : '!http'}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    if (request.url?.startsWith('/elsewhere') === true) this.followed += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const arrival = arrivalOf(request.headers, Buffer.concat(chunks).toString());
      this.arrivals.push(arrival);
      this.onArrival?.(arrival);
      response.on('close', () => {
        this.mostSent = Math.max(this.mostSent, response.socket?.bytesWritten ?? 0, sentOf(response));
      });
      this.behave(request, response);
    });
  }
}

/** One that does as it should. */
export function healthyReceiver(): ChaosReceiver {
  return new ChaosReceiver('ok', (_request, response) => response.end());
}

/** One of each kind of trouble, by the name of its symptom. */
export function troubledReceivers(): readonly ChaosReceiver[] {
  const status =
    (code: number, headers = {}): Behaviour =>
    (_request, response) =>
      response.writeHead(code, headers).end();
  return [
    new ChaosReceiver('500', status(500)),
    new ChaosReceiver('429', status(429, { 'retry-after': '2' })),
    new ChaosReceiver('410', status(410)),
    new ChaosReceiver('302', status(302, { location: '/elsewhere' })),
    new ChaosReceiver('hang', () => undefined),
    new ChaosReceiver('drip', drip),
    new ChaosReceiver('gibibyte', flood),
    new ChaosReceiver('reset', (request) => request.socket.resetAndDestroy()),
    new ChaosReceiver('tls', status(200), true),
  ];
}

/** Expected outcome of one attempt at each of them. */
export const EXPECTED_REASONS: Readonly<Record<string, string>> = {
  '500': 'http_500',
  '429': 'http_429',
  '410': 'http_410',
  '302': 'http_302',
  hang: 'unreachable',
  drip: 'unreachable',
  gibibyte: 'http_500',
  reset: 'unreachable',
  tls: 'unreachable',
};

export function isBounded(receiver: ChaosReceiver): boolean {
  return receiver.mostSent < MUCH;
}

function drip(_request: IncomingMessage, response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 1000);
  response.on('close', () => {
    clearInterval(timer);
  });
}

const sent = new WeakMap<ServerResponse, number>();

function sentOf(response: ServerResponse): number {
  return sent.get(response) ?? 0;
}

function flood(_request: IncomingMessage, response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024);
  response.writeHead(500, { 'content-length': GIBIBYTE });
  const pump = (): void => {
    while (!response.destroyed && sentOf(response) < GIBIBYTE) {
      sent.set(response, sentOf(response) + piece.length);
      if (!response.write(piece)) return;
    }
  };
  response.on('drain', pump);
  pump();
}
