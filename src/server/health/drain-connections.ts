import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from './lifecycle.js';

/**
 * While the process drains, each response closes its connection (RFC 9112 §9.6). A TCP balancer does not move open
 * connections: without this, a kept-alive connection would break during the caller's next call.
 */
export function endConnectionsWhileDraining(fastify: FastifyInstance, lifecycle: Pick<Lifecycle, 'stage'>): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (lifecycle.stage === 'draining') void reply.header('connection', 'close');
    done();
  });
}
