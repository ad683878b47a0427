import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** Answers the probes while the service waits for Redis: live, but not started. */
const LIVE_PATH = '/health/live';

/**
 * Answers HTTP on the service's own port while the service cannot, so that the wait for a Redis that reads its data is
 * neither a hung process nor a silent one: `/health/live` says 200, everything else 503 with the reason.
 */
export class StartupProbe {
  private server: Server | undefined;
  private message = '';

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  /** From the first message on the port is taken; a port that is in use is left to the start itself. */
  report(message: string): void {
    this.message = message;
    this.server ??= this.open();
  }

  /** Frees the port for the service. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server?.listening !== true) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  private open(): Server {
    const server = createServer((request, response) => {
      const isLive = request.url === LIVE_PATH;
      const body = isLive ? { status: 'ok' } : { status: 'error', details: { redis: this.reason() } };
      response.writeHead(isLive ? 200 : 503, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        connection: 'close',
        ...(isLive ? {} : { 'retry-after': '5' }),
      });
      response.end(JSON.stringify(body));
    });
    return server.on('error', () => undefined).listen(this.port, this.host);
  }

  private reason(): object {
    return { status: 'down', stage: 'starting', message: this.message };
  }
}
