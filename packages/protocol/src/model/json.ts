/**
 * A value together with its JSON text. Stored JSON is passed on unchanged; it is parsed at most once, and only if the value
 * is needed (an older dialect, a filter). A value is serialised at most once for all its readers.
 */
export class Json<T> {
  private parsed: { readonly value: T } | undefined;
  private written: string | undefined;

  private constructor(
    text: string | undefined,
    parsed: { readonly value: T } | undefined,
    /** The text in UTF-8, where it is too large to be copied and decoded without need. */
    readonly pieces?: readonly Buffer[],
  ) {
    this.written = text;
    this.parsed = parsed;
  }

  /** Wraps the bytes of a large text, in pieces that are passed on as they are. */
  static ofPieces<T>(pieces: readonly Buffer[]): Json<T> {
    return new Json<T>(undefined, undefined, pieces);
  }

  /** The same within another text. */
  static within<T>(before: string, inner: Json<unknown>, after: string): Json<T> {
    const { pieces } = inner;
    if (pieces === undefined) return Json.ofText(`${before}${inner.text}${after}`);
    return Json.ofPieces([Buffer.from(before), ...pieces, Buffer.from(after)]);
  }

  /** Wraps text that was written by this service and is trusted to be a `T`. */
  static ofText<T>(text: string): Json<T> {
    return new Json<T>(text, undefined);
  }

  static of<T>(value: T): Json<T> {
    return new Json<T>(undefined, { value });
  }

  get text(): string {
    this.written ??= this.pieces === undefined ? JSON.stringify(this.value) : Buffer.concat(this.pieces).toString();
    return this.written;
  }

  get value(): T {
    this.parsed ??= { value: JSON.parse(this.written ?? (this.pieces === undefined ? 'null' : this.text)) as T };
    return this.parsed.value;
  }
}

/** An escape in JSON text; the group is half of a surrogate pair: JSON.stringify writes whole pairs as they are. */
const ESCAPE = /\\(?:(ud[89a-f][0-9a-f]{2})|[^])/g;

/**
 * JSON of a value that this service did not check: half of a surrogate pair becomes U+FFFD, as String.toWellFormed does
 * it. UTF-8 has no halves, and readers of protobuf refuse a message with one.
 */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  return text.replace(ESCAPE, (escape: string, half?: string) => (half === undefined ? escape : '\ufffd'));
}

/** A number, a truth value or null in JSON, with its separator: an estimate. */
const SCALAR_BYTES = 8;

/** Texts up to this length are counted here. */
const SHORT = 64;

function utf8Bytes(text: string): number {
  if (text.length > SHORT) return Buffer.byteLength(text);
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return Buffer.byteLength(text);
  return text.length;
}

/** About the bytes that a value takes as JSON in UTF-8, without writing it; escapes are not counted. */
export function bytesAsJson(value: unknown): number {
  if (typeof value === 'string') return utf8Bytes(value) + 3;
  if (typeof value !== 'object' || value === null) return SCALAR_BYTES;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) bytes += bytesAsJson(item);
  } else {
    const members = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(members)) bytes += utf8Bytes(name) + 3 + bytesAsJson(members[name]);
  }
  return bytes;
}

/** The value itself where all of its texts are whole; else a copy in which they are. */
export function wellFormed<T>(value: T): T {
  const text = JSON.stringify(value);
  return text.includes('\\ud') ? (JSON.parse(wellFormedJson(value)) as T) : value;
}

/** A JSON object with arbitrary members (protobuf Struct). */
export type JsonObject = Readonly<Record<string, unknown>>;
