import { setTimeout as pause } from 'node:timers/promises';
import { ModelFault } from '../model-fault.js';
import type { ModelCallOptions, ModelPort, ModelReply, ModelRequest } from '../model.port.js';
import { eventData } from './event-data.js';
import { OpenAiAnswer } from './openai-answer.js';
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
    readonly body: AsyncIterable<Uint8Array>;
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
/** An answer that is not streamed, bytes. */
const MOST_BYTES = 8 * 1_048_576;
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
    if (status !== 200) throw refusal(status, headers['retry-after']);
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

async function takeEvents(body: AsyncIterable<Uint8Array>, answer: OpenAiAnswer): Promise<void> {
  for await (const data of eventData(body)) {
    if (data === '[DONE]') return;
    answer.take(data);
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MOST_BYTES) throw new ModelFault('malformed', `The answer has more than ${String(MOST_BYTES)} bytes`);
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
