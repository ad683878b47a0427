import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LegacyTasks } from '../../operation/legacy-tasks.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { A2AError } from '../../protocol/errors.js';
import type { OperationName } from '../../protocol/operations.js';
import type { WireCall, WireCodec } from '../../wire/codec.js';
import { type Dialect, dialectOf, dialectOfTask } from '../../wire/dialect.js';
import { missingId, readRpcRequest } from '../../wire/rpc-envelope.js';
import { BindingOptions } from '../http/binding.options.js';
import { CallRunner } from '../http/call-runner.js';
import { HttpCalls } from '../http/http-calls.js';
import { readJson } from '../http/request-body.js';
import { versionOf } from '../http/request-headers.js';
import { beginExchange, type RpcExchange } from './rpc-exchange.js';

/** A call that has been read: which operation it asks for, and in which dialect. */
interface ReadCall {
  readonly codec: WireCodec;
  readonly operation: OperationName;
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
    private readonly runner: CallRunner,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  /** @throws A2AError; the exchange then knows how to answer */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const exchange = beginExchange(request, this.runner.begin(request.id));
    const caller = await this.calls.of(request, http.getResponse<FastifyReply>(), exchange.running.facts);
    const { codec, operation, wire } = await this.read(request, exchange, caller.owner);
    const terms = codec.legacyTerms(operation, wire);
    const call = { ...caller, version: codec.version, ...(terms === undefined ? {} : { legacy: terms }) };
    const params = await this.legacy.withServerId(operation, codec.decodeParams(operation, wire), call);
    exchange.permitted = await this.operations.permitAny(operation, params, call);
    return true;
  }

  /** Throws `A2AError` for what is no call. */
  private async read(request: FastifyRequest, exchange: RpcExchange, owner: string): Promise<ReadCall> {
    const envelope = readRpcRequest(readJson(request.body));
    exchange.id = envelope.id;
    if ('error' in envelope) throw envelope.error;
    // A stream may stay for hours: what its request weighed need not.
    request.body = undefined;
    const { hasId, method, params } = envelope;
    const wire = { method, params };
    exchange.wire = wire;
    const clues = { call: wire, ...versionOf(request), strict: this.options.strictVersion };
    const codec = await this.codecFor(dialectOf(clues), owner, exchange);
    if (!hasId && codec.version === '1.0') throw missingId();
    const operation = codec.operationOf(method, params);
    if (operation === undefined) throw new A2AError('MethodNotFound', 'Method not found');
    exchange.operation = operation;
    return { codec, operation, wire };
  }

  private async codecFor(dialect: Dialect, owner: string, exchange: RpcExchange): Promise<WireCodec> {
    if (dialect.kind === 'ask-task') {
      exchange.codec = dialectOfTask(undefined);
      exchange.codec = dialectOfTask(await this.legacy.dialectOf(owner, dialect.taskId));
      return exchange.codec;
    }
    exchange.codec = dialect.codec;
    if (dialect.kind === 'refused') throw dialect.error;
    return dialect.codec;
  }
}
