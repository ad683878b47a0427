import type { JsonObject } from '@parley/protocol/model/json.js';
import { readSse } from '@parley/protocol/binding/sse-reader.js';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import { providerFault } from '@parley/sdk/model/provider-fault.js';
import type { ModelCallOptions, ModelPort, ModelReply, ModelRequest } from '@parley/sdk/model/model.port.js';
import { MAX_ANSWER_BYTES, tooLarge } from '@parley/sdk/model/provider-answer.js';
import { OpenAiAnswer } from './openai-answer.js';
import { LIMIT_NAMES, type LimitName, openAiBody } from './openai-body.js';
import { isAboutLimit, readRefusal } from './openai-refusal.js';

/** Sends the requests of a model. The service passes its guarded client. */
export interface ModelTransport {
  /** Resolves with the headers. Throws `ModelFault`, or the reason of the signal. */
  open(request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
  }): Promise<ModelAnswer>;
}

/** The head of an answer, with its streamed body. */
export interface ModelAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

export interface OpenAiOptions {
  /** URL up to the version: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  /** The key at present; absent: the server wants none. */
  readonly key?: () => string;
}

/** Bytes of one event of a stream. */
const MAX_EVENT_BYTES = 1_048_576;

/** A model behind OpenAI's chat completions, as served by Azure, vLLM, Ollama, LiteLLM and others. Repeats nothing. */
export class OpenAiModel implements ModelPort {
  /** The name of the limit accepted by the server, learnt from its refusals. */
  private limit: LimitName;

  constructor(
    private readonly options: OpenAiOptions,
    private readonly transport: ModelTransport,
  ) {
    this.limit = limitNameAt(options.url);
  }

  get name(): string {
    return this.options.model;
  }

  named(model: string): OpenAiModel {
    return new OpenAiModel({ ...this.options, model }, this.transport);
  }

  async complete(request: ModelRequest, { onText, ...options }: ModelCallOptions): Promise<ModelReply> {
    const { headers, body } = await this.accepted(request, options, onText !== undefined);
    const answer = new OpenAiAnswer(this.origin, onText);
    const isEvents = headers['content-type']?.startsWith('text/event-stream') === true;
    if (isEvents) await takeEvents(body, answer);
    else answer.take(await textOf(body));
    return answer.reply(request.messages.map(({ text }) => text).join(' '));
  }

  /** Whose opaque content it understands. */
  private get origin(): string {
    return `${hostOf(this.options.url)}/${this.name}`;
  }

  /** The answer of a server that accepts the request; after a refused limit name it tries the other name. */
  private async accepted(
    request: ModelRequest,
    options: Pick<ModelCallOptions, 'signal' | 'idempotencyKey'>,
    isStreamed: boolean,
  ): Promise<ModelAnswer> {
    const tried = new Set<LimitName>();
    for (;;) {
      const { limit } = this;
      tried.add(limit);
      const answer = await this.open(
        openAiBody(this.name, request, { isStreamed, limit, origin: this.origin }),
        options,
      );
      const { status, headers, body } = answer;
      if (status === 200) return answer;
      const refusal = await readRefusal(body);
      const other = LIMIT_NAMES.find((name) => !tried.has(name));
      const isOfLimit = status === 400 && request.maxTokens !== undefined && isAboutLimit(refusal, limit);
      if (other === undefined || !isOfLimit) throw providerFault({ status, headers, ...refusal });
      this.limit = other;
    }
  }

  private open(
    body: JsonObject,
    { signal, idempotencyKey }: Pick<ModelCallOptions, 'signal' | 'idempotencyKey'>,
  ): Promise<ModelAnswer> {
    const { url, key } = this.options;
    return this.transport.open({
      url: `${url.replace(/\/+$/, '')}/chat/completions`,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
        ...(key === undefined ? {} : { authorization: `Bearer ${key()}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
  }
}

/** OpenAI's own current models refuse `max_tokens`. */
function limitNameAt(url: string): LimitName {
  const host = hostOf(url);
  const isOpenAi = host === 'api.openai.com' || host.endsWith('.openai.azure.com');
  return isOpenAi ? 'max_completion_tokens' : 'max_tokens';
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

async function takeEvents(body: AsyncIterable<Buffer>, answer: OpenAiAnswer): Promise<void> {
  const bounds = { mostLineBytes: MAX_EVENT_BYTES, fault: (text: string) => new ModelFault('malformed', text) };
  for await (const { data } of readSse(body, bounds)) {
    if (data === '[DONE]') return;
    answer.take(data);
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MAX_ANSWER_BYTES) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
