import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { IntentCodec } from '../../operations/intents/intent.codec.js';
import { LegacyTasks } from '../../operations/executor/legacy-tasks.js';
import { OperationExecutor } from '../../operations/executor/operation-executor.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { Principal } from '../../auth/principal.js';
import type { WireCall, WireCodec } from '@parley/protocol/codec/codec.js';
import { dialectOf, dialectOfTask } from '@parley/protocol/versions/dialect.js';
import { missingId, readRpcRequest } from '@parley/protocol/binding/rpc-envelope.js';
import { BindingGuard } from '../binding/binding.guard.js';
import { BindingRunner } from '../binding/binding.runner.js';
import type { Sides } from '../binding/exchange.js';
import { HttpCalls } from '../binding/http-calls.js';
import { callerOf } from '../guards/caller.guard.js';
import { bytesOf, readJson } from '../request/request-body.js';
import { headerOf, versionOf } from '../request/request-headers.js';
import { RpcExchange } from './rpc-exchange.js';

/** A parsed call: its operation and its dialect. */
interface ReadCall {
  readonly codec: WireCodec;
  readonly operation: OperationName;
  readonly wire: WireCall;
}

/** A call before its operation is determined. */
interface AskedCall {
  readonly hasId: boolean;
  readonly wire: WireCall;
}

/** The method guard of JSON-RPC: reads the envelope, and finds the operation of the method. */
@Injectable()
export class RpcGuard extends BindingGuard<RpcExchange> {
  constructor(
    private readonly runner: BindingRunner,
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly legacy: LegacyTasks,
    private readonly intents: IntentCodec,
  ) {
    super();
  }

  protected override begin({ request }: Sides): RpcExchange {
    return new RpcExchange(this.runner.begin(request), headerOf(request, 'accept'));
  }

  protected override async read(exchange: RpcExchange, body: unknown, { request, reply }: Sides): Promise<void> {
    const principal = callerOf(request);
    const { codec, operation, wire } = await this.callIn(body, exchange, { request, principal });
    const legacy = codec.legacyTerms(operation, wire);
    const { facts } = exchange.running;
    const call = this.calls.of(request, reply, principal, { version: codec.version, facts, legacy });
    const stated = codec.decodeParams(operation, wire);
    const params = legacy === undefined ? stated : await this.legacy.withServerId(operation, stated, call);
    exchange.permitted = await this.operations.permitAny(operation, params, call);
  }

  /** Throws `A2AError` for an invalid call. */
  private async callIn(
    body: unknown,
    exchange: RpcExchange,
    { request, principal }: { readonly request: FastifyRequest; readonly principal: Principal },
  ): Promise<ReadCall> {
    const json = bytesOf(body);
    const envelope = readRpcRequest(readJson(json), json);
    exchange.id = envelope.id;
    if ('error' in envelope) throw envelope.error;
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

/** The operation of a call, in the dialect of its exchange. */
function found(exchange: RpcExchange, { hasId, wire }: AskedCall): ReadCall {
  const { codec } = exchange;
  if (!hasId && codec.version === '1.0') throw missingId();
  const operation = codec.operationOf(wire.method, wire.params);
  if (operation === undefined) throw new A2AError('MethodNotFound', 'Method not found');
  exchange.operation = operation;
  return { codec, operation, wire };
}
