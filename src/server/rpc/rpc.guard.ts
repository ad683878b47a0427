import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IntentCodec } from '../../intent/intent.codec.js';
import { LegacyTasks } from '../../operation/legacy-tasks.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { WireCall, WireCodec } from '@parley/protocol/codec/codec.js';
import { dialectOf, dialectOfTask } from '@parley/protocol/versions/dialect.js';
import { missingId, readRpcRequest } from '@parley/protocol/binding/rpc-envelope.js';
import type { Principal } from '../../security/auth/principal.js';
import { callerOf } from '../guards/caller.guard.js';
import { HttpCalls } from '../binding/http-calls.js';
import { bytesOf, readJson } from '../http/request/request-body.js';
import { versionOf } from '../http/request/request-headers.js';
import type { RpcExchange } from './rpc-exchange.js';
import { RpcFaults } from './rpc-faults.js';

/** A call that has been read: which operation it asks for, and in which dialect. */
interface ReadCall {
  readonly codec: WireCodec;
  readonly operation: OperationName;
  readonly wire: WireCall;
}

/** A call whose operation is not known yet. */
interface AskedCall {
  readonly hasId: boolean;
  readonly wire: WireCall;
}

/**
 * The method guard of JSON-RPC: one URL has all methods, so it reads the envelope, finds the operation of the method, and
 * asks for the operation's scope and rate (`SCOPE_OF`, `METHOD_COST`). Comes after the caller guard.
 */
@Injectable()
export class RpcGuard implements CanActivate {
  constructor(
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly legacy: LegacyTasks,
    private readonly intents: IntentCodec,
    private readonly faults: RpcFaults,
  ) {}

  /** @throws A2AError; the exchange then knows how to answer */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const principal = callerOf(request);
    const exchange = this.faults.begin(request);
    const { codec, operation, wire } = await this.read(request, exchange, principal);
    const legacy = codec.legacyTerms(operation, wire);
    const { facts } = exchange.running;
    const call = this.calls.of(request, reply, principal, { version: codec.version, facts, legacy });
    const stated = codec.decodeParams(operation, wire);
    const params = legacy === undefined ? stated : await this.legacy.withServerId(operation, stated, call);
    exchange.permitted = await this.operations.permitAny(operation, params, call);
    return true;
  }

  /** Throws `A2AError` for what is no call. */
  private async read(request: FastifyRequest, exchange: RpcExchange, principal: Principal): Promise<ReadCall> {
    const json = bytesOf(request.body);
    const envelope = readRpcRequest(readJson(json), json);
    exchange.id = envelope.id;
    if ('error' in envelope) throw envelope.error;
    // A stream may stay for hours: what its request weighed need not.
    request.body = undefined;
    const { hasId, method, params } = envelope;
    const wire = { method, params };
    exchange.wire = wire;
    if (this.intents.operationOf(method) !== undefined) {
      exchange.codec = this.intents;
      return found(exchange, { hasId, wire });
    }
    const { header, query } = versionOf(request);
    const dialect = dialectOf({ call: wire, header, query, strict: this.calls.strictVersion });
    if (dialect.kind === 'ask-task') return this.readAsTask(dialect.taskId, exchange, { hasId, wire, principal });
    exchange.codec = dialect.codec;
    if (dialect.kind === 'refused') throw dialect.error;
    return found(exchange, { hasId, wire });
  }

  private async readAsTask(
    taskId: string,
    exchange: RpcExchange,
    { principal, ...asked }: AskedCall & { readonly principal: Principal },
  ): Promise<ReadCall> {
    exchange.codec = dialectOfTask(undefined);
    exchange.codec = dialectOfTask(await this.legacy.dialectOf(this.calls.ownerOf(principal), taskId));
    return found(exchange, asked);
  }
}

/** The operation that a call asks for, in the dialect that its exchange has by now. */
function found(exchange: RpcExchange, { hasId, wire }: AskedCall): ReadCall {
  const { codec } = exchange;
  if (!hasId && codec.version === '1.0') throw missingId();
  const operation = codec.operationOf(wire.method, wire.params);
  if (operation === undefined) throw new A2AError('MethodNotFound', 'Method not found');
  exchange.operation = operation;
  return { codec, operation, wire };
}
