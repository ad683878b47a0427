import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from '@parley/protocol/model/json.js';
import {
  canceledText,
  changesTools,
  notificationText,
  progressIn,
  readMessage,
  replyText,
  requestText,
  type ServerMessage,
} from './message.js';
import { type ClientInfo, type Era, PEER_BOUNDS, type Peer, type PeerBounds, type PeerCall } from './peer.js';
import { type Handshake, startSession } from './session.js';
import { badAnswer, ToolError } from './tool-error.js';

/** A running process that speaks the protocol. */
export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves with the last output when it has ended, for an error. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface StdioPeerOptions {
  readonly process: ServerProcess;
  readonly era: Era;
  readonly client: ClientInfo;
  readonly bounds?: PeerBounds;
}

interface Pending {
  readonly call: PeerCall;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

/** A tool server as a process of this machine: one message per line, concurrent requests. */
export class StdioPeer implements Peer {
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private session: Promise<Handshake> | undefined;
  private fault: ToolError | undefined;
  private changed: () => void = () => undefined;

  constructor(private readonly options: StdioPeerOptions) {
    const { process } = options;
    process.input.on('error', () => undefined);
    void this.read();
    void process.ended.then((words) => {
      this.fail(new ToolError('lost', `The process has ended${words === '' ? '' : `: ${words}`}`));
    });
  }

  get isOpen(): boolean {
    return this.fault === undefined;
  }

  onChange(changed: () => void): void {
    this.changed = changed;
  }

  async call(call: PeerCall): Promise<JsonObject> {
    if (this.options.era === 'legacy') await this.opened();
    return this.request(call);
  }

  async close(): Promise<void> {
    await this.options.process.stop();
  }

  private opened(): Promise<Handshake> {
    this.session ??= startSession({
      client: this.options.client,
      call: async (call) => ({ result: await this.request(call) }),
      notify: async (method) => this.write(notificationText(method, {})),
    });
    return this.session;
  }

  private request(call: PeerCall): Promise<JsonObject> {
    const { signal, timeoutMs } = call;
    if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
    // Nothing is sent to an ended process.
    if (this.fault !== undefined) return Promise.reject(new ToolError('unsent', this.fault.message));
    const id = ++this.lastId;
    return new Promise<JsonObject>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.pending.delete(id);
      };
      const give = (why: () => Error) => (): void => {
        settle();
        this.write(canceledText(id, this.modernClient));
        reject(why());
      };
      const abort = give(() => reasonOf(signal));
      const timer = setTimeout(
        give(() => new ToolError('lost', `It did not answer within ${String(timeoutMs)} ms`)),
        timeoutMs,
      );
      signal?.addEventListener('abort', abort, { once: true });
      this.pending.set(id, {
        call,
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.write(requestText(id, call, this.modernClient));
    });
  }

  private get modernClient(): ClientInfo | undefined {
    return this.options.era === 'modern' ? this.options.client : undefined;
  }

  private write(line: string): void {
    this.options.process.input.write(`${line}\n`);
  }

  private async read(): Promise<void> {
    try {
      for await (const line of linesOf(this.options.process.output, this.bounds.message)) this.take(readMessage(line));
    } catch (error) {
      this.fail(error instanceof ToolError ? error : new ToolError('lost', 'Its output broke', { cause: error }));
      await this.options.process.stop();
    }
  }

  private take(message: ServerMessage): void {
    if (message.kind === 'request') this.write(replyText(message));
    else if (message.kind === 'notification') this.noted(message);
    else if (typeof message.id === 'number') this.answered(message.id, message);
  }

  private noted(message: ServerMessage): void {
    if (changesTools(message)) this.changed();
    for (const [id, { call }] of this.pending) {
      const progress = progressIn(message, id);
      if (progress !== undefined) call.onProgress?.(progress);
    }
  }

  /** The answer to a canceled request is dropped. */
  private answered(id: number, message: Extract<ServerMessage, { kind: 'result' | 'error' }>): void {
    const pending = this.pending.get(id);
    if (message.kind === 'result') pending?.resolve(message.result);
    else pending?.reject(message.error);
  }

  private fail(fault: ToolError): void {
    this.fault ??= fault;
    for (const { reject } of [...this.pending.values()]) reject(fault);
  }

  private get bounds(): PeerBounds {
    return this.options.bounds ?? PEER_BOUNDS;
  }
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('The call was canceled', 'AbortError');
}

const LF = 0x0a;

/** Lines without their ends; skips empty ones. @throws ToolError for a longer line */
async function* linesOf(output: Readable, mostBytes: number): AsyncGenerator<Buffer> {
  let open: Buffer[] = [];
  let bytes = 0;
  for await (const piece of output as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, from)) {
      const line = Buffer.concat([...open, piece.subarray(from, end)]);
      if (line.length > mostBytes) throw tooLong(mostBytes);
      [open, bytes, from] = [[], 0, end + 1];
      if (line.length > 0) yield line;
    }
    const rest = piece.subarray(from);
    bytes += rest.length;
    if (bytes > mostBytes) throw tooLong(mostBytes);
    if (rest.length > 0) open.push(rest);
  }
}

function tooLong(mostBytes: number): ToolError {
  return badAnswer(`A line of its output has more than ${String(mostBytes)} bytes`);
}
