import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppOverrides } from './app.module.js';
import { bannerText } from './banner.js';
import { createApp } from './bootstrap.js';
import type { Environment } from './platform/config/environment.js';
import { withoutCredentials } from './platform/config/redis-address.js';
import { loadConfig } from './platform/config/load-config.js';
import { Lifecycle } from './server/health/lifecycle.js';
import { urlOf } from './platform/address/public-address.js';
import { packageVersion } from './platform/config/package-version.js';
import { type EmbeddedRedis, startEmbeddedRedis } from './platform/redis/embedded/embedded-redis.js';
import { connect } from './platform/redis/redis-client.js';
import { complaintOf } from './platform/redis/redis-nodes.js';
import { isRedisOutage } from './platform/redis/redis-outage.js';
import { judgeRedis, readRedisFacts, type RedisFacts } from './platform/redis/redis-policy.js';
import { enterSchema, tooOldFor } from './platform/redis/stored-schema.js';
import { SkillRegistry } from './skill/skill.registry.js';
import { startTracing } from './platform/tracing/start-tracing.js';
import type { Tracing } from './platform/tracing/tracing.js';
import { tracingOptions } from './platform/tracing/tracing.options.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Longest wait for Redis at the start. */
const REACH_MS = 3_000;
/** After a Ctrl-C somebody sits in front of it. */
const INTERRUPT_MS = 2_500;
/** Beyond the drain: streams end, connections close. */
const CLOSE_MS = 5_000;
const CLOSE_IDLE_EVERY_MS = 100;

/** The service could not start; the message is one line for the operator and names what to change. */
class StartError extends Error {}

/** Starts the service of this process, and ends the process when told to. A start that fails says why in one line. */
export async function start(overrides: AppOverrides = {}): Promise<void> {
  let redis: EmbeddedRedis | undefined;
  try {
    const environment = loadConfig();
    redis = environment.REDIS_URL === undefined ? await embeddedRedis(environment) : undefined;
    const redisUrl = environment.REDIS_URL ?? redis?.url ?? '';
    if (redis === undefined) await assertFit(redisUrl);
    await assertReadable(redisUrl, environment.KEY_PREFIX);
    const version = packageVersion();
    const tracing = await tracingOf(environment, version);
    const traced = tracing === undefined ? {} : { tracing };
    const app = await createApp({ environment, redisUrl, version, overrides, ...traced });
    const address = await listen(app, environment);
    endOnSignals(app, environment);
    const skills = app.get(SkillRegistry).options;
    process.stdout.write(bannerText({ address, environment, redis, skills, version }));
  } catch (error) {
    await redis?.stop();
    process.stderr.write(`Parley cannot start. ${reasonOf(error)}\n`);
    process.exit(1);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isRedisOutage(error) ? `Redis went away while the service was starting (${error.message}).` : error.message;
}

/** Undefined when the OpenTelemetry variables do not say where spans should go. */
async function tracingOf(environment: Environment, version: string): Promise<Tracing | undefined> {
  const options = tracingOptions(environment, version);
  if (options === undefined) return undefined;
  const log = new Logger('Tracing');
  return startTracing(options, (reason) => {
    log.warn({ event: 'traces.not-sent', reason });
  });
}

async function embeddedRedis(environment: Environment): Promise<EmbeddedRedis> {
  if (environment.ROLE !== 'all') {
    throw new StartError(
      `REDIS_URL is needed when ROLE is ${environment.ROLE}: processes of several roles share one Redis.`,
    );
  }
  return startEmbeddedRedis({
    dataDir: environment.DATA_DIR,
    ...(environment.REDIS_SERVER_BIN === undefined ? {} : { serverBinary: environment.REDIS_SERVER_BIN }),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
}

/** A service that waits for a Redis that is not there looks alive and does nothing; one that may evict loses tasks. */
async function assertFit(url: string): Promise<void> {
  const host = withoutCredentials(url);
  const facts = await factsOf(url).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`REDIS_URL: Redis at ${host} cannot be reached (${reason}).`, { cause: error });
  });
  for (const { severity, text } of judgeRedis(facts)) {
    if (severity === 'refuse') throw new StartError(`REDIS_URL: ${text}.`);
    process.stderr.write(`Warning. REDIS_URL: ${text}.\n`);
  }
}

/** What newer code has written in another shape is left alone. */
async function assertReadable(url: string, keyPrefix: string): Promise<void> {
  const client = connect(url, 'command');
  client.on('error', () => undefined);
  try {
    const tooOld = tooOldFor(await enterSchema(client, keyPrefix));
    if (tooOld !== undefined) throw new StartError(`${tooOld}.`);
  } finally {
    client.disconnect();
  }
}

/** Rejects at once when Redis refuses us, and with the connection's complaint when there is no answer in time. */
async function factsOf(url: string): Promise<readonly RedisFacts[]> {
  const client = connect(url, 'blocking');
  let complaint = new Error('no answer');
  client.on('error', (error: Error) => {
    complaint = new Error(complaintOf(error), { cause: error });
  });
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => {
      reject(complaint);
    }, REACH_MS).unref();
  });
  try {
    return await Promise.race([readRedisFacts(client), late]);
  } finally {
    client.disconnect();
  }
}

async function listen(app: NestFastifyApplication, { HOST, PORT }: Environment): Promise<string> {
  try {
    await app.listen(PORT, HOST);
    const address = app.getHttpServer().address();
    return address === null || typeof address === 'string' ? `http://${HOST}:${String(PORT)}` : urlOf(address);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new StartError(`PORT ${String(PORT)} is in use: choose another one.`, { cause: error });
    if (code === 'EACCES') throw new StartError(`PORT ${String(PORT)} may not be used by this user.`, { cause: error });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartError(`HOST ${HOST} is not an address of this machine.`, { cause: error });
    }
    throw error;
  }
}

/**
 * Leaves in order, and leaves anyway when something hangs: a close without Redis would wait for ever. The embedded Redis
 * ends after this process, so that nothing here outlives it.
 */
function endOnSignals(app: NestFastifyApplication, environment: Environment): void {
  let isLeaving = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!isLeaving) void leave(app, environment, signal);
      isLeaving = true;
    });
  }
}

async function leave(app: NestFastifyApplication, environment: Environment, signal: NodeJS.Signals): Promise<void> {
  // Those who route to us need a moment to hear that we leave, and are served as ever meanwhile. Nobody routes to workers
  // and dispatchers, and after a Ctrl-C somebody is waiting.
  const isRoutedTo = environment.ROLE === 'all' || environment.ROLE === 'api';
  const delay = signal === 'SIGTERM' && isRoutedTo ? environment.LEAVE_DELAY_MS : 0;
  const longest = signal === 'SIGINT' ? INTERRUPT_MS : delay + environment.DRAIN_MS + CLOSE_MS;
  setTimeout(() => process.exit(1), longest).unref();
  app.get(Lifecycle).leave();
  await pause(delay);
  // Nest's interface does not say that its application passes the signal on to the shutdown hooks.
  const closing: { close(signal: string): Promise<void> } = app;
  setInterval(closeIdleConnections, CLOSE_IDLE_EVERY_MS, app).unref();
  await closing.close(signal);
  process.exit(0);
}

/** A connection that is kept alive after its last answer would hold up the end of the server. */
function closeIdleConnections(app: NestFastifyApplication): void {
  const server = app.getHttpServer();
  if (!server.listening) server.closeIdleConnections();
}
