import { All, Controller, Inject, Logger, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BindingOptions } from '../http/binding.options.js';
import { HttpCalls } from '../http/http-calls.js';
import { answerHeaders, headerOf, versionOf } from '../http/request-headers.js';
import { malformed, methodNotAllowed, unknownPath } from '../http/http-fault.js';
import { a2aJsonHeaders, PLAIN_JSON_HEADERS } from '../http/media-types.js';
import { pathOf, refuse } from '../http/refuse.js';
import { readJson } from '../http/request-body.js';
import { toClientError } from '../http/unexpected.js';
import type { HandledCall } from '../../platform/metrics/observation.js';
import type { Call, CallFacts } from '../../operation/call.js';
import { OperationExecutor } from '../../operation/operation-executor.js';
import { A2AError } from '../../protocol/errors.js';
import type { StreamResponse } from '../../protocol/event.js';
import type { Json } from '../../protocol/json.js';
import { isStreaming, type OperationName, type UnaryOperation } from '../../protocol/operations.js';
import { type StreamOutcome, StreamWriter } from '../sse/stream-writer.js';
import { restDialect } from '../../wire/rest-dialect.js';
import type { Query } from '../../wire/rest-query.js';
import { REST_DIALECTS, type RestDialect } from './rest-dialects.js';
import { readRestPath, type RestPath } from './rest-path.js';
import { methodsOf, operationAt } from './rest-routes.js';

/** A call that has been read: what is wanted, and in which version. */
interface RestRequest {
  readonly dialect: RestDialect;
  readonly operation: OperationName;
  readonly path: RestPath;
  readonly query: Query;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A response that continues without the controller. */
interface OpenStream {
  readonly exchange: Exchange;
  readonly ended: Promise<StreamOutcome>;
}

/** As what a call is counted. */
type Named = Pick<RestRequest, 'operation' | 'dialect'>;

/** The facts of an answered call, for log and metrics. */
interface Handled {
  readonly started: number;
  readonly facts: CallFacts;
  readonly outcome: HandledCall['outcome'];
}

/**
 * A2A over HTTP+JSON (A2A 1.0 §11, and 0.3's under `/v1`). One route takes every path that no other controller has: the
 * paths contain custom verbs and ids of any kind, which Fastify's router cannot distinguish.
 */
@Controller()
export class RestController {
  private readonly log = new Logger(RestController.name);

  constructor(
    private readonly calls: HttpCalls,
    private readonly operations: OperationExecutor,
    private readonly streams: StreamWriter,
    @Inject(BindingOptions) private readonly options: BindingOptions,
  ) {}

  @All('*')
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const rest = readRequest(request, this.options.strictVersion);
    const started = performance.now();
    const facts: CallFacts = { requestId: request.id };
    try {
      const call = await this.calls.of(request, reply, facts);
      const stream = await this.answer(rest, { ...call, version: rest.dialect.version }, { request, reply });
      if (stream === undefined) this.handled(rest, { started, facts, outcome: 'ok' });
      else void this.followed(stream, { operation: rest.operation, dialect: rest.dialect }, { started, facts });
    } catch (error) {
      const told = toClientError(error, this.log);
      this.handled(rest, { started, facts, outcome: told.kind });
      throw told;
    }
  }

  /** Waits for the end of a stream with as little at hand as that needs: ten thousand may be open at a time. */
  private async followed(
    { exchange, ended }: OpenStream,
    rest: Named,
    call: Pick<Handled, 'started' | 'facts'>,
  ): Promise<void> {
    let outcome: Handled['outcome'] = 'ok';
    try {
      call.facts.stream = await ended;
    } catch (error) {
      const told = toClientError(error, this.log);
      outcome = told.kind;
      refuse(told, exchange.request, exchange.reply);
    }
    this.handled(rest, { ...call, outcome });
  }

  private handled({ operation, dialect }: Named, { started, facts, outcome }: Handled): void {
    const seconds = (performance.now() - started) / 1000;
    this.calls.handled({ binding: 'rest', operation, dialect: dialect.version, outcome, seconds }, facts, this.log);
  }

  /** Answers the call, or begins the stream that does. */
  private async answer(rest: RestRequest, call: Call, exchange: Exchange): Promise<OpenStream | undefined> {
    const { dialect, operation } = rest;
    const { request, reply } = exchange;
    const params = dialect.decode(operation, { ...rest, body: bodyOf(request) });
    // A stream may stay for hours: what its request weighed need not.
    request.body = undefined;
    if (isStreaming(operation)) {
      const events = await this.operations.run(operation, params, call);
      const headers = answerHeaders(reply);
      reply.hijack();
      const encode = (event: Json<StreamResponse>): readonly string[] => [dialect.encodeEvent(event)];
      return { exchange, ended: this.streams.write(reply.raw, { events, headers, encode }) };
    }
    const unary: UnaryOperation = operation;
    const result = await this.operations.run(unary, params, call);
    const { vary, ...media } =
      dialect.version === '1.0' ? a2aJsonHeaders(headerOf(request, 'accept')) : PLAIN_JSON_HEADERS;
    // The operation may have set a Vary header too.
    const varies = [reply.getHeader('vary'), vary].filter((names) => names !== undefined);
    const told = varies.length === 0 ? {} : { vary: varies.join(', ') };
    void reply.headers({ ...media, ...told }).send(dialect.encode(unary, result));
    return undefined;
  }
}

/** Throws `A2AError` where nothing is served for the method and path, or not in the stated version. */
function readRequest(request: FastifyRequest, strict: boolean): RestRequest {
  const path = readPath(request);
  const operation = operationOf(path, request.method);
  if (operation === undefined) throw methodNotAllowed(methodsOf(path.resource));
  const query = request.query as Query;
  const version = restDialect(path.hasV1Prefix, versionOf(request), strict);
  if (version instanceof A2AError) throw version;
  return { dialect: REST_DIALECTS[version], operation, path, query };
}

/** Fastify would take a path with other characters, such as `*` or `:`, for a pattern, and throw where it is none. */
const PLAIN_PATH = /^[\w./-]+$/;

function readPath(request: FastifyRequest): RestPath {
  const target = pathOf(request);
  const path = decoded(target);
  if (path !== undefined) return path;
  // Paths of other controllers arrive here with methods that those do not serve.
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

/** HEAD is GET without a body (RFC 9110 §9.3.2), and makes no sense of a stream. */
function operationOf({ resource }: RestPath, method: string): OperationName | undefined {
  if (method !== 'HEAD') return operationAt(resource, method);
  const operation = operationAt(resource, 'GET');
  return operation === undefined || isStreaming(operation) ? undefined : operation;
}

/** Undefined for an empty body, which some calls may have (A2A-REST-06). */
function bodyOf({ body }: FastifyRequest): unknown {
  const isEmpty = body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0);
  return isEmpty ? undefined : readJson(body);
}
