import type { CardFinding } from '@parley/protocol/card/card-finding.js';
import { STREAM_RESUME } from '@parley/protocol/extension/stream-resume.js';
import { BASE } from '../../base-path.js';
import type { Card } from '../../view/card.js';
import { type Frame, note, type Spoken, type StreamOptions } from './a2a.js';
import { foundAgents } from '../registry.js';
import { getJson, postJson, send } from '../request.js';
import { eventsOf } from './sse.js';
import type { Dialect } from './wire-request.js';

/** Inspection of another agent by the service. Its texts are its publisher's: hostile. */
export type AgentLook =
  | {
      readonly found: true;
      readonly url: string;
      /** The card as it was received. */
      readonly text: string;
      /** The same as A2A 1.0 has it. */
      readonly card: Card;
      /** Another card of it, seen before by a user of the tenant. */
      readonly before?: { readonly text: string; readonly at: string };
      readonly findings: readonly CardFinding[];
      readonly signature: Signature;
      readonly interfaces: readonly InterfaceLook[];
      readonly credentials: 'none' | 'bearer' | 'apiKey' | 'oauth2';
    }
  | { readonly found: false; readonly why: string };

/** How the card is signed, and by which key. */
export interface Signature {
  readonly outcome: 'verified' | 'unverifiable' | 'absent';
  readonly kid?: string | undefined;
  readonly why?: string;
}

export interface InterfaceLook {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
  readonly reach: 'answers' | 'silent' | 'not-tried';
  readonly word: string;
}

/** An agent that can be chosen by name. */
export interface KnownAgent {
  readonly id: string;
  readonly name: string;
}

/** Agents of AGENTS_FILE and of the registry that the viewer may try; none of a kind that it may not see. */
export async function knownAgents(hasAgents: boolean, hasRegistry: boolean): Promise<readonly KnownAgent[]> {
  const [listed, found] = await Promise.all([
    hasAgents ? getJson<{ readonly agents: readonly string[] }>('/agents').catch(() => undefined) : undefined,
    hasRegistry ? foundAgents('', new AbortController().signal).catch(() => undefined) : undefined,
  ]);
  return [
    ...(listed?.agents ?? []).map((name) => ({ id: name, name: `${name} (of AGENTS_FILE)` })),
    ...(found ?? []).map(({ identifier, name }) => ({ id: identifier, name: `${name} (of the registry)` })),
  ];
}

export function lookAt(agent: string): Promise<AgentLook> {
  return postJson('/agents/card', { agent });
}

/** How the dialects of the playground are asked for. */
const WISHES: Readonly<Record<Dialect, { readonly binding: string; readonly version: string }>> = {
  rpc: { binding: 'JSONRPC', version: '1.0' },
  rest: { binding: 'HTTP+JSON', version: '1.0' },
  old: { binding: 'JSONRPC', version: '0.3' },
};

/** The dialects of the playground that an agent has. */
export function dialectsOf(interfaces: readonly InterfaceLook[]): readonly Dialect[] {
  const names: readonly Dialect[] = ['rpc', 'rest', 'old'];
  return names.filter((name) =>
    interfaces.some(({ protocolBinding, protocolVersion }) => {
      const { binding, version } = WISHES[name];
      return protocolBinding === binding && protocolVersion.startsWith(version);
    }),
  );
}

/** Whether the ids of an agent's events say where a stream is resumed. */
export function canResume(card: Card | undefined): boolean {
  const extensions: unknown = card?.capabilities?.extensions;
  return Array.isArray(extensions) && extensions.some((one: { readonly uri?: string }) => one.uri === STREAM_RESUME);
}

type CallFrame =
  | {
      readonly kind: 'sent';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly ms: number;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'result'; readonly id?: string; readonly result: unknown }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'ended' };

/** Has the service call another agent, and logs the reported wire traffic. @throws Error in the service's words */
export async function callOther(
  agent: string,
  { operation, params }: Spoken,
  { signal, after, dialect, onFrame }: StreamOptions,
): Promise<void> {
  const began = performance.now();
  const { id, configuration, ...rest } = params as {
    readonly id?: string;
    readonly configuration?: { readonly returnImmediately?: boolean };
  };
  const body = JSON.stringify({
    ...{ agent, operation, ...WISHES[dialect], ...rest },
    ...(configuration === undefined ? {} : { returnImmediately: configuration.returnImmediately ?? false }),
    ...(id === undefined ? {} : { taskId: id }),
    ...(after === undefined ? {} : { after }),
  });
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const call = new ReportedCall({ operation, params, agent, began, onFrame });
  try {
    const response = await send(`${BASE}/api/agents/call`, { method: 'POST', headers, body, signal });
    for await (const { data } of eventsOf(response)) call.take(JSON.parse(data) as CallFrame);
  } catch (error) {
    if (!signal.aborted) throw error;
    note({ direction: 'note', title: 'You have cut the stream', ms: performance.now() - began });
  }
}

/** Puts the reported traffic of one call into the wire log: lines of a stream become its events. */
class ReportedCall {
  private eventId: string | undefined;
  private lines: string[] = [];

  constructor(
    private readonly call: Spoken & {
      readonly agent: string;
      readonly began: number;
      readonly onFrame: (frame: Frame) => void;
    },
  ) {}

  take(frame: CallFrame): void {
    switch (frame.kind) {
      case 'sent':
        this.sent(frame);
        return;
      case 'answered': {
        const { status, headers } = frame;
        note({ direction: 'received', title: `${String(status)} ${this.call.operation}`, ms: this.ms, headers });
        return;
      }
      case 'text':
        this.line(frame.text);
        return;
      case 'result':
        this.flush();
        this.call.onFrame({ id: frame.id, answer: { result: frame.result } });
        return;
      case 'failed':
        this.flush();
        note({ direction: 'note', title: frame.why, ms: this.ms });
        throw new Error(frame.why);
      case 'ended':
        this.flush();
        note({ direction: 'note', title: 'The call has ended', ms: this.ms });
    }
  }

  private get ms(): number {
    return performance.now() - this.call.began;
  }

  private sent({ method, url, headers, body }: CallFrame & { readonly kind: 'sent' }): void {
    const { operation, params, agent } = this.call;
    note({
      ...{ direction: 'sent', title: `${method} ${url}`, headers },
      ...(body === undefined ? {} : { text: body }),
      request: { url, method, headers, body, agent, operation, params },
    });
  }

  private line(text: string): void {
    if (text.startsWith('id:')) this.eventId = text.slice(3).trim();
    else if (text.startsWith('data:')) this.event(text.slice(5).trim());
    else if (!/^(:|event:|retry:)/.test(text)) this.lines.push(text);
  }

  private event(text: string): void {
    const { eventId } = this;
    note({ direction: 'received', title: 'event', ms: this.ms, text, ...(eventId === undefined ? {} : { eventId }) });
  }

  /** The body of an answer that is no stream. */
  private flush(): void {
    if (this.lines.length > 0)
      note({ direction: 'received', title: 'answer', ms: this.ms, text: this.lines.join('\n') });
    this.lines = [];
  }
}
