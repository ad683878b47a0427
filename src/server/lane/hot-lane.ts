import type { IncomingMessage } from 'node:http';
import type { INestApplicationContext, Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, preHandlerHookHandler } from 'fastify';
import { CallerGate } from '../../security/auth/caller.gate.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { MCP_PATH, RPC_PATHS, RUN_PATH } from '../http/fault-text.js';
import { JSON_TYPES } from '../http/media-types.js';
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

/** Bytes of a body that is taken as it came. What `LargeMessages` counts as large is far above. */
const MOST_AT_HAND = 65_536;

type Done = (error?: Error) => void;

/** What Nest asks in turn for a route of a binding: method guard, handler, error filter. */
interface Binding {
  readonly guard: { permit(request: FastifyRequest, reply: FastifyReply): void | Promise<void> };
  readonly controller: { handle(request: FastifyRequest, reply: FastifyReply): Promise<void> };
  readonly filter: { refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void };
}

/**
 * Answers the hot operations, and the card, without Nest's router: hooks of Fastify, the last ones before and
 * after it reads the body. They call the guards, controller and filter of the binding in Nest's order, on a request that has
 * passed the hooks before them. A request that they do not take goes on to Nest, which would have answered those they take
 * byte for byte alike.
 */
export class HotLane {
  private readonly caller: CallerGuard;
  private readonly cards: AgentCardController;
  private readonly rpc: Binding;
  private readonly rest: Binding;
  private readonly run: Binding;
  private readonly mcp: Binding | undefined;

  /** @param hasMcp whether the MCP endpoint is open */
  constructor(app: INestApplicationContext, { hasMcp }: { readonly hasMcp: boolean }) {
    const of = <T>(type: Type<T>): T => app.get(type, { strict: false });
    this.caller = new CallerGuard(of(CallerGate));
    this.cards = of(AgentCardController);
    this.rpc = { guard: of(RpcGuard), controller: of(RpcController), filter: of(RpcErrorFilter) };
    this.rest = { guard: of(RestGuard), controller: of(RestController), filter: of(RestErrorFilter) };
    this.run = { guard: of(RunGuard), controller: of(RunController), filter: of(RunErrorFilter) };
    if (hasMcp) this.mcp = { guard: of(McpGuard), controller: of(McpController), filter: of(McpErrorFilter) };
  }

  /** Takes what has no body, and what has brought its body along. */
  readonly onRequest: onRequestHookHandler = (request, reply, done) => {
    const { raw } = request;
    const binding = this.bindingOf(raw);
    if (raw.method === 'GET' && raw.url === CARD_PATH) this.cards.card(request, reply).catch(done);
    else if (binding === undefined || (raw.method === 'POST' && !isPlainJson(raw))) done();
    else if (raw.method === 'GET') this.answer(binding, request, reply, done);
    else {
      void handedOn.then(() => {
        request.body = bodyAtHand(raw);
        if (request.body === undefined) done();
        else this.answer(binding, request, reply, done);
      });
    }
  };

  /** Takes what had to wait for its body. */
  readonly preHandler: preHandlerHookHandler = (request, reply, done) => {
    const binding = this.bindingOf(request.raw);
    if (binding === undefined) done();
    else this.answer(binding, request, reply, done);
  };

  private bindingOf({ method, url = '' }: IncomingMessage): Binding | undefined {
    if (method === 'GET') return TASK.test(url) ? this.rest : undefined;
    if (method !== 'POST') return undefined;
    if (isRpc(url)) return this.rpc;
    if (isAt(MCP_PATH, url)) return this.mcp;
    if (isAt(RUN_PATH, url)) return this.run;
    return SEND.test(url) ? this.rest : undefined;
  }

  private answer(binding: Binding, request: FastifyRequest, reply: FastifyReply, done: Done): void {
    serve(binding, this.caller, request, reply).catch(done);
  }
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

/** Whether the body is stated in the plain form that nearly all callers use; any other is for Fastify to judge. */
function isPlainJson({ headers }: IncomingMessage): boolean {
  return JSON_TYPES.includes(headers['content-type'] ?? '') && headers['content-encoding'] === undefined;
}

/** Node hands on what came of the body once the hooks have seen the head, and before promises are told. */
const handedOn = Promise.resolve();

/**
 * The body of a request where all of it is there; else nothing of it is taken. Fastify's parser waits for its end by three
 * listeners, in a scope of its own, and copies it. Here nothing waits for the end of the request, so that Node keeps it until
 * the next one of its connection.
 */
function bodyAtHand(raw: IncomingMessage): Buffer | undefined {
  const { readableLength } = raw;
  if (readableLength > MOST_AT_HAND || readableLength !== Number(raw.headers['content-length'])) return undefined;
  return (raw.read() as Buffer | null) ?? undefined;
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
