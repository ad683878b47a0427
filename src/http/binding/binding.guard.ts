import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Exchange, Sides } from './exchange.js';

/**
 * The method guard of a binding. One URL or route has all methods, so handler metadata cannot name the right that a
 * call needs: the guard reads the call, finds its operation, and checks the operation's scope and rate (`SCOPE_OF`,
 * `METHOD_COST`). Runs after the caller guard.
 */
export abstract class BindingGuard<E extends Exchange> implements CanActivate {
  /** @throws A2AError; an exchange that has begun then formats the answer */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const sides = { request: http.getRequest<FastifyRequest>(), reply: http.getResponse<FastifyReply>() };
    const { request } = sides;
    const exchange = this.begin(sides);
    request.exchange = exchange;
    const { body } = request;
    // Releases the body: a stream may stay open for hours.
    request.body = undefined;
    await this.read(exchange, body, sides);
    return true;
  }

  /** The exchange of a request whose body is unread. A fault thrown here is answered like one of an unread request. */
  protected abstract begin(sides: Sides): E;

  /** Reads the call into its exchange, and checks the right to its operation. */
  protected abstract read(exchange: E, body: unknown, sides: Sides): Promise<void>;
}
