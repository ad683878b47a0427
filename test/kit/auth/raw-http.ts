import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Values of every header, by name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  /** Written as they are, doubled names and forbidden characters included. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
}

/** Sends bytes that HTTP clients refuse to send, and reads one answer. */
export async function rawHttp(port: number, request: RawRequest): Promise<RawAnswer> {
  const { method = 'POST', path, headers = [], body = '' } = request;
  const usual: readonly [string, string][] = [
    ['Host', 'localhost'],
    ['Connection', 'close'],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
  ];
  const lines = [...usual.filter(([name]) => !headers.some(([given]) => given === name)), ...headers];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  socket.write(Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`, 'latin1'));
  // A service that refuses a head unread answers, and resets the connection: `once` would reject.
  await new Promise((closed) => socket.once('close', closed));
  return parseAnswer(Buffer.concat(chunks).toString('latin1'));
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const [name = '', ...value] = line.split(': ');
    (headers[name.toLowerCase()] ??= []).push(value.join(': '));
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}
