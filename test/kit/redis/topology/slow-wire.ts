import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** A TCP proxy on loopback that passes each piece on after a delay, as a distant server would. */
export class SlowWire {
  private readonly sockets = new Set<Socket>();
  private connections = 0;
  private heldFrom = Infinity;
  private gate = Promise.resolve();
  /** Passes on what is held, and from now on everything. */
  release: () => void = () => undefined;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param port of the server behind it */
  static async before(port: number, delayMs: number): Promise<SlowWire> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const wire = new SlowWire(server, typeof address === 'object' ? (address?.port ?? 0) : 0);
    server.on('connection', (near) => {
      wire.connections += 1;
      if (wire.connections === wire.heldFrom) wire.hold();
      const far = connect(port, '127.0.0.1');
      wire.pass(near, far, delayMs);
      wire.pass(far, near, delayMs);
    });
    return wire;
  }

  /** Passes nothing on from the n-th connection on, from 1, until `release`. Connections are taken. */
  holdFrom(connection: number): void {
    this.heldFrom = connection;
  }

  /** The peer of the connections that are open now vanishes: nothing passes any more, and nothing is closed. */
  vanish(): void {
    for (const socket of this.sockets) socket.removeAllListeners('data').pause();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private hold(): void {
    this.gate = new Promise((resolve) => {
      this.release = () => {
        this.gate = Promise.resolve();
        resolve();
      };
    });
  }

  private pass(from: Socket, to: Socket, delayMs: number): void {
    this.sockets.add(from);
    from.on('data', (bytes) => setTimeout(() => void this.gate.then(() => to.destroyed || to.write(bytes)), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.sockets.delete(from);
      setTimeout(() => to.destroy(), delayMs);
    });
  }
}
