/**
 * A value together with its JSON text. Stored JSON is passed on unchanged; it is parsed at most once, and only if the value
 * is needed (an older dialect, a filter). A value is serialised at most once for all its readers.
 */
export class Json<T> {
  private parsed: { readonly value: T } | undefined;
  private written: string | undefined;

  private constructor(text: string | undefined, parsed: { readonly value: T } | undefined) {
    this.written = text;
    this.parsed = parsed;
  }

  /** Wraps text that was written by this service and is trusted to be a `T`. */
  static ofText<T>(text: string): Json<T> {
    return new Json<T>(text, undefined);
  }

  static of<T>(value: T): Json<T> {
    return new Json<T>(undefined, { value });
  }

  get text(): string {
    this.written ??= JSON.stringify(this.value);
    return this.written;
  }

  get value(): T {
    this.parsed ??= { value: JSON.parse(this.written ?? 'null') as T };
    return this.parsed.value;
  }
}

/** A JSON object with arbitrary members (protobuf Struct). */
export type JsonObject = Readonly<Record<string, unknown>>;
