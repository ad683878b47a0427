import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it came to the door. */
export interface PassedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ms since 1970. */
  readonly at: number;
  /** Of the answer. */
  readonly status: number;
}

type Sent = Pick<PassedRequest, 'path' | 'headers' | 'body'> & { readonly method?: string };

/** Headers that belong to one connection. */
const OWN = ['connection', 'host', 'content-length', 'transfer-encoding', 'keep-alive'];

/** The public address of a service whose own is known only after its start. Keeps what it has passed on; answers are passed on whole. */
export class HttpDoor {
  readonly passed: PassedRequest[] = [];
  /** Where the service is. */
  target = '';
  /** Requests that are lost behind the door, while their senders hear that all is well. */
  swallows: (path: string) => boolean = () => false;
  /** Requests that reach the service, and whose answers are lost: their senders see a connection that ends. */
  loses: (request: Pick<PassedRequest, 'path' | 'body'>) => boolean = () => false;
  /** What the service gets in place of a body. */
  rewrites: (body: string) => string = (body) => body;
  private readonly server: Server = createServer((request, response) => {
    this.pass(request, response).catch(() => response.destroy());
  });

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get host(): string {
    return `127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Sends a request to the service itself. */
  async send(request: Sent): Promise<number> {
    const answer = await this.forward(request);
    await answer.arrayBuffer();
    return answer.status;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forward({ method = 'POST', path, headers, body }: Sent): Promise<Response> {
    const has = method !== 'GET' && method !== 'HEAD';
    return fetch(`${this.target}${path}`, { method, headers: { ...headers }, ...(has ? { body } : {}) });
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '' } = request;
    const kept = Object.entries(request.headers).filter(([name]) => !OWN.includes(name));
    const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
    const heard = { method, path, headers, body: this.rewrites(await text(request)), at: Date.now() };
    if (this.swallows(path)) {
      this.passed.push({ ...heard, status: 202 });
      response.writeHead(202).end();
      return;
    }
    const answer = await this.forward(heard);
    const body = Buffer.from(await answer.arrayBuffer());
    this.passed.push({ ...heard, status: answer.status });
    if (this.loses(heard)) {
      response.destroy();
      return;
    }
    const given = [...answer.headers].filter(([name]) => !OWN.includes(name) && name !== 'content-encoding');
    response.writeHead(answer.status, Object.fromEntries(given)).end(body);
  }
}
