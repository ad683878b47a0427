import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it came to the proxy. */
export interface Callback {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at: number;
  readonly status: number;
}

/** The public address of a service whose own is known only after its start, and what it has passed on. */
export class CallbackProxy {
  readonly passed: Callback[] = [];
  /** Where the service is. */
  target = '';
  private readonly server: Server = createServer((request, response) => {
    this.pass(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(502).end(),
    );
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

  async send({ path, headers, body }: Pick<Callback, 'path' | 'headers' | 'body'>): Promise<number> {
    const answer = await fetch(`${this.target}${path}`, { method: 'POST', headers: { ...headers }, body });
    await answer.arrayBuffer();
    return answer.status;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage): Promise<number> {
    const body = await text(request);
    const names = ['authorization', 'content-type', 'x-a2a-notification-token'];
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')]));
    const callback = { path: request.url ?? '', headers, body, at: Date.now() };
    const status = await this.send(callback);
    this.passed.push({ ...callback, status });
    return status;
  }
}
