import type { Opaque, ToolCall } from '../model.port.js';
import { callsOf, checkCallCount, MAX_ANSWER_BYTES, tooLarge } from '../provider-answer.js';

type Json = Readonly<Record<string, unknown>>;

/** A piece of an answer that grows over the events of a stream. */
interface Piece {
  readonly kind: 'text' | 'reasoning' | 'tool-call';
  text: string;
  meta: Json | undefined;
  /** Of a call. */
  readonly id: string;
  readonly name: string;
}

/** The order of a message, with what the provider wants back: the texts are those of the message. */
type Outline =
  | { readonly type: 'reasoning'; readonly text: string; readonly meta?: Json }
  | { readonly type: 'text'; readonly length: number; readonly meta?: Json }
  | { readonly type: 'tool-call'; readonly id: string; readonly meta?: Json };

/** The content of an answer, of a whole result or the parts of a stream: both have the same kinds of parts. */
export class AiSdkContent {
  private readonly pieces: Piece[] = [];
  private readonly open = new Map<string, Piece>();
  private bytes = 0;
  private calls = 0;

  constructor(private readonly onText: (piece: string) => void) {}

  /** Adds a part. Parts of other kinds are left out. Throws `ModelFault` for an answer without an end. */
  take(part: Json): void {
    const { type } = part;
    if (type === 'text' || type === 'reasoning') this.grow(this.begun(type, part), String(part.text), part);
    else if (type === 'tool-call') this.call(part);
    else if (typeof type === 'string') this.takeEvent(type, part);
  }

  get text(): string {
    return this.pieces.map(({ kind, text }) => (kind === 'text' ? text : '')).join('');
  }

  get toolCalls(): readonly ToolCall[] {
    return callsOf(this.pieces.filter(({ kind }) => kind === 'tool-call'));
  }

  /** @param of the provider and model that understand it */
  opaque(of: string): { readonly opaque?: readonly Opaque[] } {
    const isPlain = this.pieces.every(({ kind, meta }) => kind !== 'reasoning' && meta === undefined);
    return isPlain ? {} : { opaque: [{ of, data: this.pieces.map(outlineOf) }] };
  }

  private takeEvent(type: string, part: Json): void {
    const [, kind, event] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? [];
    if (kind !== 'text' && kind !== 'reasoning') return;
    const id = `${kind} ${String(part.id)}`;
    const piece = this.open.get(id) ?? this.begun(kind, part);
    this.open.set(id, piece);
    this.grow(piece, event === 'delta' ? String(part.delta) : '', part);
    if (event === 'end') this.open.delete(id);
  }

  private begun(kind: Piece['kind'], part: Json): Piece {
    const { toolCallId: id, toolName: name } = part;
    const piece: Piece = { kind, text: '', meta: undefined, id: textOf(id), name: textOf(name) };
    this.pieces.push(piece);
    return piece;
  }

  private call(part: Json): void {
    if (part.providerExecuted === true) return;
    const piece = this.begun('tool-call', part);
    const { input } = part;
    this.grow(piece, typeof input === 'string' ? input : JSON.stringify(input ?? {}), part);
    this.calls += 1;
    checkCallCount(this.calls);
  }

  private grow(piece: Piece, text: string, { providerMetadata }: Json): void {
    this.bytes += Buffer.byteLength(text);
    if (this.bytes > MAX_ANSWER_BYTES) throw tooLarge();
    piece.text += text;
    if (isJson(providerMetadata)) piece.meta = merged(piece.meta, providerMetadata);
    if (piece.kind === 'text' && text !== '') this.onText(text);
  }
}

/** The content of a message of the model, as its provider takes it: with its opaque parts, where it is its own. */
export function assistantContent(
  { text, toolCalls = [], opaque }: { text: string; toolCalls?: readonly ToolCall[]; opaque?: readonly Opaque[] },
  of: string,
): readonly object[] {
  const callParts = new Map(toolCalls.map((call) => [call.id, callPart(call)]));
  const outline = opaque?.find((one) => one.of === of)?.data;
  const parts: object[] = [];
  let from = 0;
  for (const part of Array.isArray(outline) ? (outline as readonly Outline[]) : []) {
    const options = part.meta === undefined ? {} : { providerOptions: part.meta };
    if (part.type === 'reasoning') parts.push({ type: 'reasoning', text: part.text, ...options });
    else if (part.type === 'text') {
      const said = text.slice(from, from + part.length);
      if (said !== '') parts.push({ type: 'text', text: said, ...options });
      from += part.length;
    } else {
      const call = callParts.get(part.id);
      if (call !== undefined) parts.push({ ...call, ...options });
      callParts.delete(part.id);
    }
  }
  const rest = text.slice(from);
  return [...parts, ...(rest === '' ? [] : [{ type: 'text', text: rest }]), ...callParts.values()];
}

function callPart({ id, name, arguments: given, raw }: ToolCall): object {
  // Arguments that are no JSON are left out: providers refuse the whole request for them.
  return { type: 'tool-call', toolCallId: id, toolName: name, input: raw === undefined ? given : {} };
}

function outlineOf({ kind, text, id, meta }: Piece): Outline {
  const more = meta === undefined ? {} : { meta };
  switch (kind) {
    case 'reasoning':
      return { type: 'reasoning', text, ...more };
    case 'text':
      return { type: 'text', length: text.length, ...more };
    case 'tool-call':
      return { type: 'tool-call', id, ...more };
  }
}

/** Members of the provider, joined over the events of a piece. */
function merged(before: Json | undefined, more: Json): Json {
  const both = { ...before, ...more };
  return Object.fromEntries(
    Object.entries(both).map(([name, value]) => {
      const old = before?.[name];
      return [name, isJson(old) && isJson(value) ? { ...old, ...value } : value];
    }),
  );
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
