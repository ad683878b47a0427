import type { FastifyReply } from 'fastify';
import { type JsonName, jsonWith } from '@parley/protocol/json/json-name.js';
import { mcpNotificationText, type McpRequestId, mcpResultText } from '@parley/protocol/mcp/mcp-message.js';
import type { TextAnswer } from '../../../http/errors.js';
import type { Answers } from '../../../http/answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../../../http/answer/media-types.js';
import type { OpenStream, StreamOutcome } from '../../../http/sse/open-stream.js';
import type { StreamWriter } from '../../../http/sse/stream-writer.js';
import { ProgressRate } from './progress-rate.js';

/** An unanswered call becomes a stream after this time, in milliseconds, so that proxies see activity. */
const STREAM_AFTER_MS = 1_000;
/** Interval of progress notifications for a silent skill, ms: hosts abort silent calls. */
const TICK_MS = 5_000;

/** The default event name, made explicit: @ai-sdk/mcp before 2.0 ignores an event without a name. */
const EVENT = 'message';

/** The dependencies of a reply. */
export interface ReplyParts {
  readonly answers: Answers;
  readonly streams: StreamWriter;
}

/** The answer to one request: JSON, or an event stream once there is a message before the result (MCP-SRV-9). */
export class McpReply {
  private open: OpenStream | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ticks: NodeJS.Timeout | undefined;
  private progressed = 0;
  private lastWords: string | undefined;
  private isOver = false;
  private rate: ProgressRate | undefined;
  private sent = 0;

  constructor(
    private readonly reply: FastifyReply,
    private readonly parts: ReplyParts,
    /** Prefix of a session's event ids, by which the stream is resumed. */
    private readonly eventPrefix?: string,
  ) {}

  /** Whether the client closed the connection before the answer. */
  get isGone(): boolean {
    return this.reply.raw.destroyed && !this.reply.raw.writableFinished;
  }

  /** Whether a stream has begun. */
  get isStream(): boolean {
    return this.open !== undefined;
  }

  /** The bytes sent in a stream so far, and its outcome. */
  get outcome(): StreamOutcome {
    return { how: this.open?.how ?? (this.isGone ? 'gone' : 'ended'), events: this.sent };
  }

  /** Becomes a stream if the answer takes long; with a token it sends progress every few seconds. */
  openIfLong(token?: JsonName): void {
    this.timer = setTimeout(() => {
      if (!this.isOver) this.stream();
    }, STREAM_AFTER_MS);
    this.timer.unref();
    if (token === undefined) return;
    this.ticks = setInterval(() => {
      void this.sendProgress(token, this.lastWords);
    }, TICK_MS);
    this.ticks.unref();
  }

  /** Sends a notification or a request to the client. @param place `<seq>-<nonce>` of the reported event */
  async send(message: string, place = ''): Promise<void> {
    if (this.isOver || this.isGone) return;
    const id = this.eventPrefix === undefined ? {} : { id: this.eventPrefix + place };
    this.sent += 1;
    await this.stream().send({ ...id, name: EVENT, data: message });
  }

  /** Reports progress: at most a few times per second, with a growing number. */
  async progress(token: JsonName, words: string, place: string): Promise<void> {
    this.lastWords = words;
    this.rate ??= new ProgressRate();
    if (this.rate.take()) await this.sendProgress(token, words, place);
  }

  private async sendProgress(token: JsonName, words: string | undefined, place = ''): Promise<void> {
    this.progressed += 1;
    const message = words === undefined || words === '' ? {} : { message: words };
    const params = jsonWith({ progress: this.progressed, ...message }, 'progressToken', token);
    await this.send(mcpNotificationText('notifications/progress', params), place);
  }

  /** Opens the stream now unless it is open. @param place position to resume from, `<seq>-<nonce>` */
  stream(place = ''): OpenStream {
    if (this.open !== undefined) return this.open;
    const headers = this.parts.answers.headersOfStream(this.reply);
    this.reply.hijack();
    this.open = this.parts.streams.open(this.reply.raw, headers);
    // An empty event: a client that loses the connection before the next one can resume (SEP-1699).
    if (this.eventPrefix !== undefined) void this.open.send({ id: this.eventPrefix + place, data: '' });
    return this.open;
  }

  /** Sends the response, which ends the reply. */
  async end(answer: TextAnswer): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    clearInterval(this.ticks);
    if (this.open === undefined) {
      await this.parts.answers.sendAfterLines(this.reply, answer);
      return;
    }
    this.sent += 1;
    if (!this.isGone) await this.open.send({ name: EVENT, data: answer.text });
    this.open.end();
  }

  /** Leaves a running call to the replica to which the session's client reconnects; false when this one continues. */
  handOver(): boolean {
    if (this.eventPrefix === undefined || !this.parts.streams.isLeaving) return false;
    this.stream();
    this.leave(true);
    return true;
  }

  /** Ends the stream of a client that has gone, or is to come back. */
  leave(isLeft = false): void {
    this.isOver = true;
    clearTimeout(this.timer);
    clearInterval(this.ticks);
    this.open?.end(isLeft);
  }
}

/** The response to a request. @param text JSON of its result */
export function mcpResult(id: McpRequestId, text: string): TextAnswer {
  return { status: 200, headers: PLAIN_JSON_HEADERS, text: mcpResultText(id, text) };
}

/** Prefix of the event ids of one request: the data for resuming its stream. */
export function eventPrefix(id: McpRequestId, token: JsonName | undefined): string {
  return `${Buffer.from(`[${token === undefined ? id : `${id},${token}`}]`).toString('base64url')}.`;
}

/** One or two names as JSON texts. */
const NAMES = /^\[("(?:[^"\\]|\\.)*"|-?[\d.eE+-]+)(?:,("(?:[^"\\]|\\.)*"|-?[\d.eE+-]+))?\]$/;

/** The request and the task position in an event id; undefined for any other text. */
export function readEventId(
  text: string,
): { readonly id: McpRequestId; readonly token?: JsonName; readonly place: string } | undefined {
  const [, encoded = '', place = ''] = /^([\w-]{1,4096})\.([\w-]{0,64})$/.exec(text) ?? [];
  const names = Buffer.from(encoded, 'base64url').toString('utf8');
  const [, id, token] = NAMES.exec(names) ?? [];
  if (id === undefined || !isJson(names)) return undefined;
  return { id, place, ...(token === undefined ? {} : { token }) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
