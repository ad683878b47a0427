import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver on every address of this machine that counts who comes, and every socket that this process opens. */
export class CountingListener {
  private readonly server: Server = createServer((request, response) => {
    this.requests.push(`${String(request.method)} ${String(request.url)} ${String(request.headers.host)}`);
    response.end('ok');
  });
  private readonly onSocket = (): void => {
    this.dialled += 1;
  };
  readonly requests: string[] = [];
  connections = 0;
  /** Sockets that anything in this process has opened, whatever they reached. */
  dialled = 0;

  async listen(): Promise<number> {
    this.server.on('connection', () => {
      this.connections += 1;
    });
    await new Promise<void>((resolve) => this.server.listen(0, '::', resolve));
    subscribe('net.client.socket', this.onSocket);
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    unsubscribe('net.client.socket', this.onSocket);
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
