/** One event of a `text/event-stream`. */
export interface SseEvent {
  /** The id of this event, or the last one before it. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Bounds of a stream, in bytes of UTF-8. */
export interface SseBounds {
  /** One line, and all data of one event. */
  readonly mostLineBytes: number;
  /** The error of a line or event over its bound. */
  readonly fault: (text: string) => Error;
}

/** Keeps the parser honest about ids: longer ones are not remembered. */
const MAX_ID_LENGTH = 1024;

/**
 * Reads server-sent events (WHATWG HTML § 9.2.6) piece by piece. Lines may end in CR, LF or both; an event without data
 * is none. Throws the `fault` of the bounds.
 */
export async function* readSse(body: AsyncIterable<Buffer>, bounds: SseBounds): AsyncGenerator<SseEvent> {
  const { mostLineBytes, fault } = bounds;
  let data: string[] = [];
  let bytes = 0;
  let id: string | undefined;
  for await (const line of linesOf(body, bounds)) {
    if (line === '') {
      if (data.length > 0) yield { id, data: data.join('\n') };
      data = [];
      bytes = 0;
      continue;
    }
    const { field, value } = fieldOf(line);
    if (field === 'id' && !value.includes('\0') && value.length <= MAX_ID_LENGTH) id = value === '' ? undefined : value;
    if (field !== 'data') continue;
    bytes += Buffer.byteLength(value);
    if (bytes > mostLineBytes) throw fault(`An event of the stream has more than ${String(mostLineBytes)} bytes`);
    data.push(value);
  }
  // An event that the connection cut is incomplete and is not given; its id was never remembered either.
}

function fieldOf(line: string): { readonly field: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon < 0) return { field: line, value: '' };
  const value = line.slice(colon + 1);
  return { field: line.slice(0, colon), value: value.startsWith(' ') ? value.slice(1) : value };
}

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';

/** Lines without their ends. Scans each byte once, however small the chunks are. */
async function* linesOf(body: AsyncIterable<Buffer>, { mostLineBytes, fault }: SseBounds): AsyncGenerator<string> {
  let open: Buffer[] = [];
  let bytes = 0;
  let isFirst = true;
  let endedInCr = false;
  const take = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > mostLineBytes) throw fault(`A line of the stream has more than ${String(mostLineBytes)} bytes`);
    if (part.length > 0) open.push(part);
  };
  for await (const piece of body) {
    let from: number = endedInCr && piece[0] === LF ? 1 : 0;
    endedInCr = false;
    for (let end = endOfLine(piece, from); end >= 0; end = endOfLine(piece, from)) {
      take(piece.subarray(from, end));
      const line = Buffer.concat(open).toString('utf8');
      open = [];
      bytes = 0;
      from = end + 1;
      if (piece[end] === CR && piece[from] === LF) from += 1;
      else endedInCr = piece[end] === CR && from === piece.length;
      yield isFirst && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
      isFirst = false;
    }
    take(piece.subarray(from));
  }
}

/** Where the first CR or LF is, from an index; -1 for none. */
function endOfLine(piece: Buffer, from: number): number {
  for (let at = from; at < piece.length; at += 1) if (piece[at] === LF || piece[at] === CR) return at;
  return -1;
}
