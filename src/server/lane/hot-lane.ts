import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { CallerGate } from '../../security/auth/caller.gate.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { MCP_PATH, RPC_PATHS, RUN_PATH } from '../http/fault-text.js';
import { RunController } from '../intent/run.controller.js';
import { RunErrorFilter } from '../intent/run-error.filter.js';
import { RunGuard } from '../intent/run.guard.js';
import { McpController } from '../mcp/mcp.controller.js';
import { McpErrorFilter } from '../mcp/mcp-error.filter.js';
import { McpGuard } from '../mcp/mcp.guard.js';
import { RestController } from '../rest/rest.controller.js';
import { RestErrorFilter } from '../rest/rest-error.filter.js';
import { RestGuard } from '../rest/rest.guard.js';
import { RpcController } from '../rpc/rpc.controller.js';
import { RpcErrorFilter } from '../rpc/rpc-error.filter.js';
import { RpcGuard } from '../rpc/rpc.guard.js';
import { AgentCardController, CARD_PATH } from '../well-known/agent-card.controller.js';

/** What Nest asks in turn for a route of a binding: method guard, handler, error filter. */
interface Binding {
  readonly guard: { permit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> };
  readonly controller: { handle(request: FastifyRequest, reply: FastifyReply): Promise<void> };
  readonly filter: { refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void };
}

/**
 * A Fastify `preHandler` hook that answers the hot operations, and the card, without Nest's router (decision 0025). It calls
 * the guards, controller and filter of the binding in Nest's order, on a request that has passed all hooks of Fastify.
 * A request that it does not take goes on to Nest, which would have answered those it takes byte for byte alike.
 * @param hasMcp whether the MCP endpoint is open
 */
export function hotLane(app: INestApplicationContext, { hasMcp }: { readonly hasMcp: boolean }): preHandlerHookHandler {
  const find = { strict: false };
  const caller = new CallerGuard(app.get(CallerGate, find));
  const rpc: Binding = {
    guard: app.get(RpcGuard, find),
    controller: app.get(RpcController, find),
    filter: app.get(RpcErrorFilter, find),
  };
  const rest: Binding = {
    guard: app.get(RestGuard, find),
    controller: app.get(RestController, find),
    filter: app.get(RestErrorFilter, find),
  };
  const run: Binding = {
    guard: app.get(RunGuard, find),
    controller: app.get(RunController, find),
    filter: app.get(RunErrorFilter, find),
  };
  const mcp: Binding | undefined = hasMcp
    ? {
        guard: app.get(McpGuard, find),
        controller: app.get(McpController, find),
        filter: app.get(McpErrorFilter, find),
      }
    : undefined;
  const postOf = (url: string): Binding | undefined => {
    if (isRpc(url)) return rpc;
    if (isAt(MCP_PATH, url)) return mcp;
    if (isAt(RUN_PATH, url)) return run;
    return SEND.test(url) ? rest : undefined;
  };
  const cards = app.get(AgentCardController, find);
  return (request, reply, done) => {
    const { method, url = '' } = request.raw;
    const binding = method === 'POST' ? postOf(url) : method === 'GET' && TASK.test(url) ? rest : undefined;
    if (binding !== undefined) serve(binding, caller, request, reply).catch(done);
    else if (method === 'GET' && url === CARD_PATH) cards.card(request, reply).catch(done);
    else done();
  };
}

async function serve(
  { guard, controller, filter }: Binding,
  caller: CallerGuard,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    const admitted = caller.admit(request);
    if (admitted !== undefined) await admitted;
    const permitted = guard.permit(request, reply);
    if (permitted !== undefined) await permitted;
    await controller.handle(request, reply);
  } catch (error) {
    filter.refuse(error, request, reply);
  }
}

function isRpc(url: string): boolean {
  return url === '/' || RPC_PATHS.some((path) => isAt(path, url));
}

function isAt(path: string, url: string): boolean {
  return url === path || url.startsWith(`${path}?`);
}

/** GetTask and both sends, without a tenant in the path: no controller has other routes of this form. */
const TASK = /^\/(?:v1\/)?tasks\/[\w-]+(?:\?|$)/;
const SEND = /^\/(?:v1\/)?message:(?:send|stream)(?:\?|$)/;
