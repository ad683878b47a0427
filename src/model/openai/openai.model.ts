import { setTimeout as pause } from 'node:timers/promises';
import { readSse } from '../../wire/sse-reader.js';
import { ModelFault } from '../model-fault.js';
import type { ModelCallOptions, ModelPort, ModelReply, ModelRequest } from '../model.port.js';
import { MOST_ANSWER_BYTES, OpenAiAnswer, tooLarge } from './openai-answer.js';
import { openAiBody } from './openai-body.js';

/** Sends the requests of a model. The service gives its guarded client. */
export interface ModelTransport {
  /** Returns once the headers are there. Throws `ModelFault`, or the reason of the signal. */
  open(request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: AsyncIterable<Buffer>;
  }>;
}

export interface OpenAiOptions {
  /** Up to the version: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string;
}

const MOST_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20_000;
/** One event of a stream, bytes. */
const MOST_EVENT_BYTES = 1_048_576;
/** The server is overloaded, or has a fault of its own. */
const PASSING = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * A model behind the chat completions of OpenAI, as Azure, vLLM, Ollama, LiteLLM and others have them. Repeats a request that was
 * refused for now or never sent, and none of which a part was seen: that is for the step around it.
 */
export class OpenAiModel implements ModelPort {
  constructor(
    private readonly options: OpenAiOptions,
    private readonly transport: ModelTransport,
  ) {}

  get name(): string {
    return this.options.model;
  }

  async complete(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply> {
    for (let attempt = 1; ; attempt += 1) {
      const seen = { text: false };
      try {
        return await this.once(request, options, seen);
      } catch (error) {
        const waitMs = attempt < MOST_ATTEMPTS && !seen.text ? pauseAfter(error, attempt) : undefined;
        if (waitMs === undefined) throw error;
        await pause(waitMs, undefined, { signal: options.signal });
      }
    }
  }

  private async once(
    request: ModelRequest,
    { signal, idempotencyKey, onText }: ModelCallOptions,
    seen: { text: boolean },
  ): Promise<ModelReply> {
    const { url, model, key } = this.options;
    const isStreamed = onText !== undefined;
    const { status, headers, body } = await this.transport.open({
      url: `${url.replace(/\/+$/, '')}/chat/completions`,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(openAiBody(model, request, isStreamed)),
      signal,
    });
    if (status !== 200) {
      await leave(body);
      throw refusal(status, headers['retry-after']);
    }
    const answer = new OpenAiAnswer((piece) => {
      seen.text = true;
      onText?.(piece);
    });
    const isEvents = headers['content-type']?.startsWith('text/event-stream') === true;
    if (isEvents) await takeEvents(body, answer);
    else answer.take(await textOf(body));
    return answer.reply(request.messages.map(({ text }) => text).join(' '));
  }
}

async function takeEvents(body: AsyncIterable<Buffer>, answer: OpenAiAnswer): Promise<void> {
  const bounds = { mostLineBytes: MOST_EVENT_BYTES, fault: (text: string) => new ModelFault('malformed', text) };
  for await (const { data } of readSse(body, bounds)) {
    if (data === '[DONE]') return;
    answer.take(data);
  }
}

/** A body that nobody reads would keep its connection. */
async function leave(body: AsyncIterable<Buffer>): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  await pieces.next();
  await pieces.return?.();
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MOST_ANSWER_BYTES) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function refusal(status: number, retryAfter: string | undefined): ModelFault {
  const text = `The model has answered ${String(status)}`;
  if (!PASSING(status)) return new ModelFault('refused', text);
  const seconds = Number(retryAfter);
  const retryAfterMs = retryAfter !== undefined && !Number.isNaN(seconds) ? { retryAfterMs: seconds * 1000 } : {};
  return new ModelFault('unavailable', text, retryAfterMs);
}

/** Undefined: no other attempt here. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof ModelFault) || error.kind !== 'unavailable') return undefined;
  const wished = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
  return wished > LONGEST_PAUSE_MS ? undefined : wished;
}
