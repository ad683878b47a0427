import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from './metrics.js';
import { MetricsOptions } from './metrics.options.js';

/**
 * `/metrics` on a port of its own, so that a network policy can keep callers away from it. It answers until the end of
 * the shutdown, so that the drain can be observed.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: Metrics,
    @Inject(MetricsOptions) private readonly options: MetricsOptions,
  ) {}

  /** Undefined without a port of its own. */
  get port(): number | undefined {
    const address = this.server?.address() ?? null;
    return address === null || typeof address === 'string' ? undefined : address.port;
  }

  /** Throws the error of `listen` when the port is taken. */
  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.options;
    if (port === undefined) return;
    this.server = createServer((request, response) => void this.answer(request, response)).listen(port, host);
    await once(this.server, 'listening');
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (method !== 'GET' || url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const { registry } = this.metrics;
    const text = await registry.metrics().catch(() => undefined);
    if (text === undefined) response.writeHead(500).end();
    else response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  }
}
