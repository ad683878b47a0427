import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** One command as the server ran it; `source` is `lua` inside of a script. */
export type OnCommand = (args: readonly string[], source: string) => void;

const LINE = /^\+[\d.]+ \[\d+ ([^\]]+)\] (.*)$/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

/**
 * Every command that a Redis server runs (MONITOR), on a plain socket: ioredis breaks when commands of a busy server come
 * in one piece with the answer to MONITOR.
 */
export class RedisMonitor {
  private constructor(private readonly socket: Socket) {}

  static async start(url: string, onCommand: OnCommand): Promise<RedisMonitor> {
    const { hostname, port, password } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => {
      const [, source, words] = LINE.exec(line) ?? [];
      if (source !== undefined && words !== undefined) onCommand(wordsIn(words), source);
    });
    socket.write(`${password === '' ? '' : `AUTH ${decodeURIComponent(password)}\r\n`}MONITOR\r\n`);
    const [first] = (await once(lines, 'line')) as [string];
    if (first !== '+OK') throw new Error(`MONITOR was refused: ${first}`);
    return new RedisMonitor(socket);
  }

  stop(): void {
    this.socket.destroy();
  }
}

/** The words of a line, each in quotes and escaped as C does it. */
function wordsIn(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word.replace(/\\(x[0-9a-f]{2}|.)/g, (_all, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code),
    ),
  );
}
