import { Controller, Get, NotFoundException, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { forwardingHeader } from '../address/forwarding.js';
import { Metrics } from './metrics.js';

/** `/metrics` on the service's own port, for a service that only this machine can reach. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async scrape(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // A proxy would bring callers from other machines: those must use METRICS_PORT.
    if (forwardingHeader((name) => headers[name] !== undefined) !== undefined) throw new NotFoundException();
    const { registry } = this.metrics;
    await reply.header('content-type', registry.contentType).send(await registry.metrics());
  }
}
