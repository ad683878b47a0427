import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Takes webhooks on a free loopback port, and keeps what they say of each task. */
export class WebhookReceiver {
  private readonly bodies: string[] = [];
  private readonly server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      this.bodies.push(body);
      response.writeHead(204).end();
    });
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://localhost:${String(this.port)}/hook`;
  }

  /** What lets a service call it: `EGRESS_ALLOW`. */
  get egress(): string {
    return `localhost:${String(this.port)}=127.0.0.1/32!http`;
  }

  /** All bodies that name the task. */
  heardOf(taskId: string): string {
    return this.bodies.filter((body) => body.includes(taskId)).join('\n');
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
}
