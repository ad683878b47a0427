import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentExtension } from '@parley/protocol/model/agent-card.js';

/** A call as the stub got it. */
export interface AgentRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The whole body. */
  readonly text: string;
}

/** An agent of A2A 1.0 on JSON-RPC that answers every message at once, with a message. */
export class AgentStub {
  /** Calls, without the fetches of its card. */
  readonly requests: AgentRequest[] = [];
  /** Its card declares them. */
  extensions: readonly AgentExtension[] = [];
  /** Path → what it has beside its card. */
  readonly documents = new Map<string, string>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString()));
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        if (request.method === 'GET')
          return void response.end(this.documents.get(request.url ?? '') ?? JSON.stringify(this.card()));
        const { id, method } = JSON.parse(text) as { readonly id: unknown; readonly method: string };
        this.requests.push({ method, headers: request.headers, text });
        const message = {
          messageId: `answer-${String(this.requests.length)}`,
          role: 'ROLE_AGENT',
          parts: [{ text: 'heard' }],
        };
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { message } }));
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get host(): string {
    return `127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private card(): object {
    return {
      ...{ name: 'Stub', description: 'Answers at once.', version: '1' },
      supportedInterfaces: [{ url: `${this.url}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: { extensions: this.extensions },
      ...{ defaultInputModes: ['application/json'], defaultOutputModes: ['text/plain'] },
      skills: [{ id: 'hear', name: 'Hear', description: 'Hears.', tags: ['test'] }],
    };
  }
}
