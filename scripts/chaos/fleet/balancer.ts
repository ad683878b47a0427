import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** How often each replica is asked whether it is ready. */
const EVERY_MS = 200;

/**
 * A plain TCP balancer, as a Kubernetes service is one: it knows connections and no requests, gives each new one to the
 * next replica that says it is ready, and never touches it again.
 */
export class Balancer {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private ready: readonly string[] = [];
  private turn = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly replicas: () => readonly string[]) {
    this.server = createServer({ allowHalfOpen: true }, (client) => {
      this.pass(client);
    });
  }

  /** Resolves when a replica is ready. */
  static async start(replicas: () => readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(replicas);
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    await balancer.check();
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async check(): Promise<void> {
    const urls = this.replicas();
    const answers = await Promise.all(urls.map(isReady));
    this.ready = urls.filter((_url, at) => answers[at] === true);
    this.timer = setTimeout(() => void this.check(), EVERY_MS);
  }

  private pass(client: Socket): void {
    const url = this.ready[this.turn++ % Math.max(1, this.ready.length)];
    if (url === undefined) {
      client.destroy();
      return;
    }
    const replica = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    for (const [one, other] of [
      [client, replica],
      [replica, client],
    ] as const) {
      this.sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => other.destroy()).on('close', () => this.sockets.delete(one));
      one.pipe(other);
    }
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/health/ready`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(1_000),
    });
    return status === 200;
  } catch {
    return false;
  }
}
