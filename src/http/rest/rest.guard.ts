import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OperationExecutor } from '../../operations/executor/operation-executor.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import { isStreaming, type OperationName } from '@parley/protocol/model/operations.js';
import { restDialect } from '@parley/protocol/versions/rest-dialect.js';
import type { Query } from '@parley/protocol/binding/rest-query.js';
import { BindingGuard } from '../binding/binding.guard.js';
import { BindingOptions } from '../binding/binding.options.js';
import { BindingRunner } from '../binding/binding.runner.js';
import type { Sides } from '../binding/exchange.js';
import { HttpCalls } from '../binding/http-calls.js';
import { callerOf } from '../guards/caller.guard.js';
import { malformed, methodNotAllowed, unknownPath } from '../errors.js';
import { readJson } from '../request/request-body.js';
import { headerOf, pathOf, versionOf } from '../request/request-headers.js';
import { restDialectOf } from './rest-dialects.js';
import { RestExchange, type RestRequest } from './rest-exchange.js';
import { readRestPath, type RestPath } from './rest-path.js';
import { methodsOf, operationAt } from './rest-routes.js';

/** The method guard of HTTP+JSON: one route serves all paths, so it finds the operation of method and path. */
@Injectable()
export class RestGuard extends BindingGuard<RestExchange> {
  constructor(
    private readonly runner: BindingRunner,
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {
    super();
  }

  protected override begin(sides: Sides): RestExchange {
    return new RestExchange(
      this.runner.begin(sides.request),
      readRequest(sides.request, this.options.strictVersion),
      sides,
    );
  }

  protected override async read(exchange: RestExchange, body: unknown, { request, reply }: Sides): Promise<void> {
    const { operation, dialect, path, query } = exchange.asked;
    const { facts } = exchange.running;
    const call = this.calls.of(request, reply, callerOf(request), { version: dialect.version, facts });
    const params = dialect.decode(operation, { path, query, body: jsonIn(body) });
    exchange.permitted = await this.operations.permitAny(operation, params, call);
  }
}

/** Throws `A2AError` when nothing is served for the method and path, or not in the stated version. */
function readRequest(request: FastifyRequest, strict: boolean): RestRequest {
  const path = readPath(request);
  const operation = operationOf(path, request.method);
  if (operation === undefined) throw methodNotAllowed(methodsOf(path.resource));
  const query = request.query as Query;
  const version = restDialect(path.hasV1Prefix, versionOf(request), strict);
  if (version instanceof A2AError) throw version;
  return { dialect: restDialectOf(version, headerOf(request, 'user-agent')), operation, path, query };
}

/** Fastify would parse a path with other characters, such as `*` or `:`, as a pattern, and throw for an invalid one. */
const PLAIN_PATH = /^[\w./-]+$/;

function readPath(request: FastifyRequest): RestPath {
  const target = pathOf(request);
  const path = decoded(target);
  if (path !== undefined) return path;
  // Paths of other controllers arrive here with a method that they do not have.
  const served = PLAIN_PATH.test(target)
    ? ['GET', 'POST'].filter((method) => request.server.hasRoute({ url: target, method }))
    : [];
  throw served.length > 0 ? methodNotAllowed(served) : unknownPath();
}

function decoded(target: string): RestPath | undefined {
  try {
    return readRestPath(target);
  } catch {
    throw malformed();
  }
}

/** HEAD is GET without a body (RFC 9110 §9.3.2), and is useless for a stream. */
function operationOf({ resource }: RestPath, method: string): OperationName | undefined {
  if (method !== 'HEAD') return operationAt(resource, method);
  const operation = operationAt(resource, 'GET');
  return operation === undefined || isStreaming(operation) ? undefined : operation;
}

/** Undefined for an empty body, which some calls may have (A2A-REST-06). */
function jsonIn(body: unknown): unknown {
  const isEmpty = body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0);
  return isEmpty ? undefined : readJson(body);
}
