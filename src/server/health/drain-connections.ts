import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
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

/**
 * Cuts connections on which no request has come when the server closes. For Node these are not idle, so one that a client
 * or balancer opened ahead of need would hold up the end of the process.
 */
export function cutUnusedConnections(fastify: FastifyInstance): void {
  const unused = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  fastify.server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  fastify.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    done();
  });
}
