import type { IncomingMessage, Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyHttpOptions } from 'fastify';
import { AppModule, type AppOptions } from './app.module.js';
import { faultAnswer } from './app.faults.js';
import { FEATURES } from './app.features.js';
import { callbackSettings, enabledFeatures } from './app.settings.js';
import { AuthOptions } from '../auth/auth-options.js';
import { CallerGate } from '../auth/caller.gate.js';
import { refuseEarly } from '../auth/early-refusal.js';
import { readTarget } from '../auth/incoming/request-target.js';
import { TrafficBudgets } from '../limits/quotas/traffic-budgets.js';
import { LargeMessages } from '../operations/send/large-messages.js';
import { cutUnusedConnections } from '../http/health/unused-connections.js';
import { Lifecycle } from '../http/health/lifecycle.js';
import { completeAnswers } from '../http/answer/answers.js';
import { refuseForgedCallbacks } from '../remote-agents/callback/forged-callbacks.js';
import { CALLBACK_PATH, Callbacks } from '../remote-agents/callback/callbacks.js';
import type { Feature } from '../http/binding/feature.js';
import { BindingRunner } from '../http/binding/binding.runner.js';
import { FaultFilter, refuse } from '../http/binding/fault.filter.js';
import { judgeBodyType, refuseOtherTypes } from '../http/request/body-type.js';
import { malformed, unsupportedEncoding } from '../http/errors.js';
import { JSON_TYPES } from '../http/answer/media-types.js';
import { LargeBodies, type LargeBodyParts, scopesByPath } from '../http/request/large-bodies.js';
import { isIdentity, MAX_BODY } from '../http/request/request-body.js';
import { REQUEST_ID_HEADER, requestIdOf } from '../http/request/request-id.js';
import { nameLines } from '../http/request/request-lines.js';
import { traceRequests } from '../http/request/request-trace.js';
import { serverTimes } from '../http/server-times.js';
import { PinoLogger } from '../platform/logging/pino.logger.js';

/** Builds the application of a role: HTTP adapter, body parsing and limits. Tests use it too. */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const { environment } = options;
  const adapter = new FastifyAdapter({
    ...timesOf(options),
    bodyLimit: MAX_BODY,
    maxRequestsPerSocket: 0,
    routerOptions: { maxParamLength: 512 },
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    rewriteUrl: readTarget,
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers[REQUEST_ID_HEADER]),
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      refuse(malformed(error.statusCode), faultAnswer, { request, reply });
    },
  });
  nameLines(adapter.getInstance());
  if (options.tracing !== undefined) traceRequests(adapter.getInstance());
  declareMembers(adapter);
  readBodiesAsBytes(adapter);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRole(environment.ROLE, options), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: options.log ?? new PinoLogger(environment.LOG_LEVEL),
  });
  const isApi = environment.ROLE === 'all' || environment.ROLE === 'api';
  if (isApi) guardRequests(adapter, app, options);
  adapter.getInstance().addHook('onSend', completeAnswers(app.get(Lifecycle)));
  cutUnusedConnections(adapter.getInstance());
  const runner = isApi ? app.get(BindingRunner, { strict: false }) : undefined;
  return app.useGlobalFilters(new FaultFilter(faultAnswer, runner));
}

/** The hooks of an api process, in their order: early refusals, then the bound of bodies. */
function guardRequests(adapter: FastifyAdapter, app: NestFastifyApplication, options: AppOptions): void {
  const fastify = adapter.getInstance();
  const gate = app.get(CallerGate);
  const features = enabledFeatures(options.environment, options.version);
  for (const { feature, start } of features) {
    const refuseAtOnce = feature.onRequest?.(start);
    if (refuseAtOnce !== undefined) fastify.addHook('onRequest', refuseAtOnce);
  }
  const hasCallbacks = callbackSettings(options.environment) !== undefined;
  if (hasCallbacks) fastify.addHook('onRequest', refuseForgedCallbacks(app.get(Callbacks, { strict: false }), gate));
  const isPublic = hasCallbacks ? isOpenOrCallback : isOpen;
  fastify.addHook('onRequest', refuseEarly(gate, isPublic));
  if (app.get<AuthOptions>(AuthOptions).mode === 'required') takeUntypedBodies(adapter);
  const scopesAt = scopesByPath(features.map(({ feature }) => feature));
  boundBodies(fastify, app, { isOpen: isPublic, scopesAt });
}

/** Fastify's options for slow connections. */
function timesOf({ environment, overrides }: AppOptions): FastifyHttpOptions<Server> {
  const times = { ...serverTimes(environment.BLOCKING_MS), ...overrides?.times };
  return {
    requestTimeout: times.requestMs,
    connectionTimeout: times.silenceMs,
    keepAliveTimeout: times.idleMs,
    http: { headersTimeout: times.headersMs, connectionsCheckingInterval: times.checkMs },
  };
}

/**
 * Request members set by hooks, guards and handlers, declared to Fastify so that all requests have one shape. Not
 * WeakMaps: an entry per request would keep the garbage collector busy.
 */
function declareMembers(adapter: FastifyAdapter): void {
  for (const member of ['admission', 'user', 'exchange', 'lineFields'])
    adapter.getInstance().decorateRequest(member, undefined);
}

/**
 * Public paths: links, card, well-known documents, probes, pages of features; metrics only if the port is loopback.
 * Web pages may send a CORS preflight, which has no body. Any other body would be read before its caller is
 * authenticated.
 */
function isOpen(path: string, { method, headers }: IncomingMessage): boolean {
  const isPreflight =
    method === 'OPTIONS' && !('transfer-encoding' in headers) && !Number(headers['content-length'] ?? 0);
  if (method !== 'GET' && method !== 'HEAD' && !isPreflight) return false;
  const isWellKnown = /^\/(?:1\.0\/|http\/)?\.well-known\//.test(path);
  if (isPreflight) return isWellKnown;
  const isPage = FEATURES.some((feature: Feature) => feature.isPage?.(path) === true);
  return path === '/' || isWellKnown || isPage || path.startsWith('/health/') || path === '/metrics';
}

/** Callbacks of other agents are authenticated by a token, which an earlier hook has checked. */
function isOpenOrCallback(path: string, request: IncomingMessage): boolean {
  return path.startsWith(CALLBACK_PATH) || isOpen(path, request);
}

function boundBodies(
  fastify: FastifyInstance,
  app: NestFastifyApplication,
  own: Pick<LargeBodyParts, 'isOpen' | 'scopesAt'>,
): void {
  const [messages, budgets] = [app.get(LargeMessages, { strict: false }), app.get(TrafficBudgets, { strict: false })];
  const bodies = new LargeBodies({ gate: app.get(CallerGate), budgets, messages, ...own });
  fastify
    .addHook('onRequest', bodies.onRequest)
    .addHook('preParsing', bodies.preParsing)
    .addHook('preValidation', bodies.preValidation);
}

/** Bodies reach the bindings unparsed, so that a malformed one is answered in the caller's protocol. */
function readBodiesAsBytes(adapter: FastifyAdapter): void {
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, (request, body, done) => {
    const isPlain = isIdentity(request.headers['content-encoding']);
    done(isPlain ? null : unsupportedEncoding(), body);
  });
  fastify.addContentTypeParser('*', refuseOtherTypes);
  fastify.addHook('onRequest', judgeBodyType);
}

/**
 * Treats a body without a type as JSON (A2A-RPC-01) if callers send credentials. The open start refuses it (415): a web
 * page can send such a body anywhere without a preflight, and a body with a JSON type only after one.
 */
function takeUntypedBodies(adapter: FastifyAdapter): void {
  adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
    request.headers['content-type'] ??= JSON_TYPES[0];
    done();
  });
}
