import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import type { ModelTransport } from '../../../src/models/openai/openai.model.js';

/** The platform's fetch; the service's own client is tested in the whole application. */
export const fetchTransport: ModelTransport = {
  async open({ url, ...request }) {
    const { status, headers, body } = await fetch(url, { method: 'POST', ...request });
    async function* pieces(): AsyncGenerator<Buffer, void, void> {
      try {
        for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) yield Buffer.from(piece);
      } catch (cause) {
        throw new ModelFault('unavailable', 'The connection broke', { cause });
      }
    }
    return { status, headers: Object.fromEntries(headers), body: pieces() };
  },
};

/** How the stub answers one request. */
export type StubAnswer =
  /** A text: streamed word by word where the request wants a stream. */
  | { readonly text: string; readonly usage?: boolean }
  | { readonly tool: string; readonly given: object }
  | { readonly status: number; readonly retryAfter?: string; readonly error?: object }
  /** The stream breaks off after so many words. */
  | { readonly text: string; readonly cutAfter: number }
  | { readonly malformed: string };

export interface StubRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly stream?: boolean;
  };
}

/** Answers requests as they come, in place of a script. */
export type StubAnswering = (request: StubRequest) => Promise<StubAnswer>;

/** The chat completions of OpenAI over real HTTP, with scripted answers: streams, calls of tools, refusals, cuts, bad JSON. */
export class OpenAiStub {
  readonly requests: StubRequest[] = [];
  private answers: StubAnswer[] = [];
  private readonly server: Server;

  private constructor(answering?: StubAnswering) {
    const answer: StubAnswering = answering ?? (() => Promise.resolve(this.answers.shift() ?? { status: 500 }));
    this.server = createServer((incoming, response) => {
      let text = '';
      incoming.on('data', (piece: Buffer) => (text += piece.toString()));
      incoming.on('end', () => {
        const request = { headers: incoming.headers, body: JSON.parse(text) as StubRequest['body'] };
        this.requests.push(request);
        if (incoming.url !== '/v1/chat/completions') response.writeHead(404).end();
        else void answer(request).then((given) => answered(response, given, request.body.stream === true));
      });
    });
  }

  /** @param answering in place of `script` */
  static async start(answering?: StubAnswering): Promise<OpenAiStub> {
    const stub = new OpenAiStub(answering);
    await new Promise<void>((resolve) => stub.server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  /** For MODEL_URL. */
  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/v1`;
  }

  /** Replaces what it answers next, in order; beyond that it answers 500. */
  script(...answers: readonly StubAnswer[]): void {
    this.answers = [...answers];
    this.requests.length = 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const USAGE = { prompt_tokens: 11, completion_tokens: 7 };

function answered(response: ServerResponse, answer: StubAnswer, isStream: boolean): void {
  if ('status' in answer) {
    const headers = answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter };
    response.writeHead(answer.status, headers).end(JSON.stringify({ error: answer.error ?? { message: 'scripted' } }));
  } else if ('malformed' in answer) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer.malformed);
  } else if (isStream) {
    streamed(response, answer);
  } else {
    const message = 'tool' in answer ? { content: null, tool_calls: [callOf(answer)] } : { content: answer.text };
    const finish = 'tool' in answer ? 'tool_calls' : 'stop';
    const body = { choices: [{ message, finish_reason: finish }], usage: USAGE };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

function streamed(
  response: ServerResponse,
  answer: Exclude<StubAnswer, { status: number } | { malformed: string }>,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const event = (body: object): void => void response.write(`data: ${JSON.stringify(body)}\n\n`);
  const delta = (said: object, finish: string | null = null): void =>
    event({ choices: [{ index: 0, delta: said, finish_reason: finish }] });
  delta({ role: 'assistant', content: '' });
  if ('tool' in answer) {
    const { function: called, ...call } = callOf(answer);
    delta({ tool_calls: [{ index: 0, ...call, function: { name: called.name, arguments: '' } }] });
    // Servers send arguments in pieces that are no JSON of their own.
    for (const piece of called.arguments.match(/.{1,7}/gs) ?? []) {
      delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
    delta({}, 'tool_calls');
  } else {
    const words = answer.text.match(/\S+\s*/g) ?? [];
    const most = 'cutAfter' in answer ? answer.cutAfter : words.length;
    for (const word of words.slice(0, most)) delta({ content: word });
    if ('cutAfter' in answer) {
      // What was said is on its way before the connection breaks.
      response.write(': the end\n\n', () => response.destroy());
      return;
    }
    delta({}, 'stop');
  }
  if ('tool' in answer || 'cutAfter' in answer || (answer.usage ?? true)) event({ choices: [], usage: USAGE });
  response.end('data: [DONE]\n\n');
}

function callOf({ tool, given }: { readonly tool: string; readonly given: object }) {
  return { id: 'call_1', type: 'function', function: { name: tool, arguments: JSON.stringify(given) } } as const;
}
