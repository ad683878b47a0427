import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResponse } from '@parley/protocol/model/event.js';

/** One request as a receiver saw it. */
export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
  readonly seq: number;
}

export type Behaviour = (request: Received, response: ServerResponse) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_request, response) => {
    response.writeHead(status, headers).end();
  };

/** A webhook receiver on loopback that remembers everything and behaves as told. */
export class Receiver {
  readonly received: Received[] = [];
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seq = Number(request.headers['x-a2a-event-seq']);
      const { method = '', url: path = '' } = request;
      const received = {
        method,
        path,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
        seq,
      };
      this.received.push(received);
      this.behave(received, response);
    });
  });

  constructor(public behave: Behaviour = answer(200)) {}

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://${this.host}/hook`;
  }

  get host(): string {
    return `localhost:${String((this.server.address() as AddressInfo).port)}`;
  }

  get seqs(): readonly number[] {
    return this.received.map(({ seq }) => seq);
  }

  get states(): readonly (string | undefined)[] {
    return this.received.map(({ body }) => stateOf(JSON.parse(body) as StreamResponse));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function stateOf(event: StreamResponse): string | undefined {
  if ('task' in event) return event.task.status.state;
  return 'statusUpdate' in event ? event.statusUpdate.status.state : undefined;
}
