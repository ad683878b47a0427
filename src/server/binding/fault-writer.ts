import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers the faults of a binding's calls in the caller's dialect, and counts the calls. */
export interface FaultWriter {
  write(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard that has begun to read the call; undefined before, and on routes without a binding. */
    faults: FaultWriter | undefined;
  }
}
