import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { FaultAnswer, TextAnswer } from './errors.js';
import { readTarget } from '../auth/incoming/request-target.js';

/** Path of the liveness probe while the service waits for Redis: live, but not started. */
const LIVE_PATH = '/health/live';
const RETRY_AFTER_S = 5;

/**
 * Answers HTTP on the service's own port while the service cannot, so that waiting for a loading Redis is visible:
 * `/health/live` answers 200, other probes 503 with the reason, and a call gets the error "unavailable" in the form of
 * its binding. gRPC does not listen yet, which its clients report as UNAVAILABLE.
 */
export class StartupProbe {
  private server: Server | undefined;
  private message = '';

  constructor(
    private readonly host: string,
    private readonly port: number,
    private readonly faultAnswer: FaultAnswer,
  ) {}

  /** The first message binds the port; a port in use is left to the start itself. */
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
      const { status, headers, text } = this.answerTo(request);
      const again = status === 200 ? {} : { 'retry-after': String(RETRY_AFTER_S) };
      response.writeHead(status, { ...headers, ...again, 'cache-control': 'no-store', connection: 'close' });
      // Drops the rest of a body.
      request.resume();
      response.end(text);
    });
    return server.on('error', () => undefined).listen(this.port, this.host);
  }

  private answerTo(request: IncomingMessage): TextAnswer {
    const path = readTarget(request).split('?')[0] ?? '/';
    if (path === LIVE_PATH) return document(200, { status: 'ok' });
    if (path.startsWith('/health/')) {
      const redis = { status: 'down', stage: 'starting', message: this.message };
      return document(503, { status: 'error', details: { redis } });
    }
    const { method = 'GET', headers } = request;
    const error = new A2AError('Unavailable', `The service is starting: ${this.message}`, {
      retryAfterSeconds: RETRY_AFTER_S,
    });
    return this.faultAnswer(error, { method, path, version: textOf(headers['a2a-version']), accept: headers.accept });
  }
}

function document(status: number, body: object): TextAnswer {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) };
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
