/** One request of a client: the words of the command, and the bytes as they came. */
export interface RedisRequest {
  readonly words: readonly Buffer[];
  readonly bytes: Buffer;
}

/** Cuts the bytes of a client of Redis into requests; clients send lists of texts only. */
export class RespReader {
  private rest: Buffer = Buffer.alloc(0);

  /** The requests that are complete with these bytes. */
  read(bytes: Buffer): readonly RedisRequest[] {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const requests: RedisRequest[] = [];
    for (let request = this.next(); request !== undefined; request = this.next()) {
      requests.push(request);
      this.rest = this.rest.subarray(request.bytes.length);
    }
    return requests;
  }

  private next(): RedisRequest | undefined {
    const head = this.lineAt(0);
    if (head === undefined) return undefined;
    let at = head.end;
    const words: Buffer[] = [];
    for (let left = Number(head.text.slice(1)); left > 0; left -= 1) {
      const size = this.lineAt(at);
      if (size === undefined) return undefined;
      const end = size.end + Number(size.text.slice(1));
      if (this.rest.length < end + 2) return undefined;
      words.push(this.rest.subarray(size.end, end));
      at = end + 2;
    }
    return { words, bytes: this.rest.subarray(0, at) };
  }

  private lineAt(from: number): { readonly text: string; readonly end: number } | undefined {
    const end = this.rest.indexOf('\r\n', from);
    return end === -1 ? undefined : { text: this.rest.toString('latin1', from, end), end: end + 2 };
  }
}

/** The bytes of a request. */
export function requestOf(...words: readonly (string | Buffer)[]): Buffer {
  const parts = words.map((word) => (typeof word === 'string' ? Buffer.from(word) : word));
  const texts = parts.flatMap((part) => [Buffer.from(`$${String(part.length)}\r\n`), part, Buffer.from('\r\n')]);
  return Buffer.concat([Buffer.from(`*${String(parts.length)}\r\n`), ...texts]);
}
