import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as the agent got it. */
interface Heard {
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A call to one of the agents. */
interface BadCall {
  readonly id: unknown;
  readonly method: string;
  readonly taskId: string;
}

/** How an agent answers a call; its card says nothing of it. */
export type BadAnswer = (response: ServerResponse, call: BadCall) => void;

/** Agents at one origin that break the protocol on purpose, each at a path of its own: `/<name>`. */
export class BadAgents {
  readonly heard: Heard[] = [];
  /** Answers that are still being sent. */
  open = 0;
  private readonly server: Server = createServer((request, response) => {
    void this.answer(request, response);
  });

  /** @param cards members of the card of an agent, in place of the usual ones; absent: the card is fetched from elsewhere */
  constructor(
    private readonly answers: Readonly<Record<string, BadAnswer>>,
    private readonly cards: Readonly<Record<string, object | ((response: ServerResponse) => void)>> = {},
  ) {}

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', method } = request;
    this.heard.push({ path, authorization: request.headers.authorization });
    this.open += 1;
    response.on('close', () => (this.open -= 1)).on('error', () => undefined);
    const [, name = ''] = path.split('/');
    const body = await text(request);
    if (method === 'GET') {
      this.showCard(name, response);
      return;
    }
    const { id, method: called, params } = JSON.parse(body) as BadRequest;
    this.answers[name]?.(response, { id, method: called, taskId: params.id ?? 'theirs' });
  }

  private showCard(name: string, response: ServerResponse): void {
    const own = this.cards[name] ?? {};
    if (typeof own === 'function') own(response);
    else json(response, { ...this.card(name), ...own });
  }

  private card(name: string): object {
    return {
      ...{ name, description: 'Breaks the protocol.', version: '1' },
      supportedInterfaces: [{ url: `${this.url}/${name}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: {},
      ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
      skills: [{ id: 'any', name: 'Any', description: 'Any.', tags: ['test'] }],
    };
  }
}

interface BadRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: { readonly id?: string };
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Sends the same piece until the other side has gone. */
export function endless(response: ServerResponse, type: string, piece: string): void {
  response.writeHead(200, { 'content-type': type });
  const more = (): void => {
    while (!response.destroyed && response.write(piece)) continue;
  };
  response.on('drain', more);
  more();
}

/** The regular answer to a message, or to a question about a task. */
export function taskAnswer(
  response: ServerResponse,
  { id, method, taskId }: BadCall,
  task: object = { status: { state: 'TASK_STATE_WORKING' } },
): void {
  const shown = { id: taskId, contextId: 'c', ...task };
  json(response, { jsonrpc: '2.0', id, result: method === 'SendMessage' ? { task: shown } : shown });
}
