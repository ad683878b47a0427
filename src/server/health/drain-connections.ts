import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from './lifecycle.js';

/**
 * While the process drains, each answer ends its connection (RFC 9112 §9.6). A balancer of connections takes none from a
 * process: callers who keep one open would meet its end in the middle of their next call.
 */
export function endConnectionsWhileDraining(fastify: FastifyInstance, lifecycle: Pick<Lifecycle, 'stage'>): void {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (lifecycle.stage === 'draining') void reply.header('connection', 'close');
    done();
  });
}
