import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

const MESSAGE = /^[*>]3\r\n\$7\r\nmessage\r\n/;

/**
 * A wire to Redis that can lose every published message while it passes on everything else: pub/sub may do so at any
 * time.
 */
export class SilentPubSub {
  /** Whether published messages are lost. */
  isSilent = false;
  /** Messages that were lost. */
  lost = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async before(redisPort: number): Promise<SilentPubSub> {
    const server = createServer();
    const wire = new SilentPubSub(server);
    server.on('connection', (client) => {
      wire.join(client, connect(redisPort, '127.0.0.1'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return wire;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the wire is not up');
    return `redis://127.0.0.1:${address.port}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket, redis: Socket): void {
    const filter = new ReplyFilter((reply) => this.isLost(reply));
    client.pipe(redis);
    redis.on('data', (bytes: Buffer) => client.write(Buffer.from(filter.pass(bytes.toString('latin1')), 'latin1')));
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        other.destroy();
        this.sockets.delete(socket);
      });
    }
  }

  private isLost(reply: string): boolean {
    const isLost = this.isSilent && MESSAGE.test(reply);
    if (isLost) this.lost += 1;
    return isLost;
  }
}

/** Cuts a stream of RESP into replies and drops some. */
class ReplyFilter {
  private rest = '';

  constructor(private readonly isLost: (reply: string) => boolean) {}

  pass(text: string): string {
    this.rest += text;
    let passed = '';
    for (let end = endOfReply(this.rest, 0); end !== undefined; end = endOfReply(this.rest, 0)) {
      const reply = this.rest.slice(0, end);
      this.rest = this.rest.slice(end);
      if (!this.isLost(reply)) passed += reply;
    }
    return passed;
  }
}

/** Where the reply that begins at `from` ends; undefined while it is not complete. */
function endOfReply(text: string, from: number): number | undefined {
  const line = text.indexOf('\r\n', from);
  if (line === -1) return undefined;
  const count = Number(text.slice(from + 1, line));
  const type = text[from] ?? '';
  if ('$=!'.includes(type)) return count < 0 ? line + 2 : within(text, line + 2 + count + 2);
  if ('*>~'.includes(type)) return endOfMembers(text, line + 2, count);
  return '%|'.includes(type) ? endOfMembers(text, line + 2, count * 2) : line + 2;
}

function endOfMembers(text: string, from: number, count: number): number | undefined {
  let end: number | undefined = from;
  for (let member = 0; member < count && end !== undefined; member += 1) end = endOfReply(text, end);
  return end;
}

function within(text: string, end: number): number | undefined {
  return end <= text.length ? end : undefined;
}
