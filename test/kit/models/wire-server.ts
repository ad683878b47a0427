import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Bytes of an answer, as a provider sends them. */
export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** The answer does not end after its body. */
  readonly isOpen?: boolean;
  /** The connection breaks after its body. */
  readonly isBroken?: boolean;
}

export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the client has closed its connection. */
  readonly closed: Promise<number>;
}

/** A provider over real HTTP that answers with recorded bytes, and keeps what it was sent. */
export class WireServer {
  readonly requests: WireRequest[] = [];
  readonly sockets: Socket[] = [];
  private readonly server: Server;

  private constructor(public answer: (request: WireRequest) => WireAnswer | Promise<WireAnswer>) {
    this.server = createServer((incoming, response) => {
      const pieces: Buffer[] = [];
      const closed = once(response, 'close').then(() => performance.now());
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', () => {
        const request = {
          path: incoming.url ?? '',
          headers: incoming.headers,
          body: String(Buffer.concat(pieces)),
          closed,
        };
        this.requests.push(request);
        void Promise.resolve(this.answer(request)).then((given) => send(response, given));
      });
    }).on('connection', (socket: Socket) => this.sockets.push(socket));
  }

  static async start(answer: WireServer['answer'] = () => ({ status: 500 })): Promise<WireServer> {
    const server = new WireServer(answer);
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** What it answers from now on; forgets its requests. */
  says(answer: WireAnswer): void {
    this.requests.length = 0;
    this.answer = () => answer;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function send(response: ServerResponse, { status = 200, headers = {}, body = '', isOpen, isBroken }: WireAnswer): void {
  response.writeHead(status, headers);
  if (isOpen === true) response.flushHeaders();
  if (isBroken === true) response.write(body, () => response.destroy());
  else if (isOpen === true) response.write(body);
  else response.end(body);
}
