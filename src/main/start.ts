import { setFlagsFromString } from 'node:v8';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppOverrides } from './app.module.js';
import type { LoadedSkills } from './app.skills.js';
import { hostname } from 'node:os';
import { ProcessIdentity } from '../platform/redis/process-identity.js';
import { type BannerFacts, bannerText, storageText } from './banner.js';
import { createApp } from './bootstrap.js';
import { checkConfiguration, defaultSkillFault } from './configuration-check.js';
import { type Finding, sentenceOf } from './finding.js';
import { otherSkills } from './app.others.js';
import { unjudgedSkills } from './other-skills.js';
import type { Environment } from './app.environment.js';
import { faultAnswer } from './app.faults.js';
import { acceptedFindings } from './app.settings.js';
import { StartupProbe } from '../http/startup-probe.js';
import { urlOf } from '../platform/address/public-address.js';
import { endOnSignals } from './leave.js';
import { PinoLogger } from '../platform/logging/pino.logger.js';
import { packageVersion } from '../platform/config/package-version.js';
import { type EmbeddedRedis, startEmbeddedRedis } from '../platform/redis/embedded/embedded-redis.js';
import { assertFit, assertReadable } from '../platform/redis/health/fit.js';
import { type Loading, type LoadingWait, loadingText } from '../platform/redis/connection/loading.js';
import type { OnOutage } from '../platform/redis/connection/until-answered.js';
import { isRedisOutage } from '../platform/redis/connection/redis-outage.js';
import { startReason } from './skills-judge.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { startTracing } from '../platform/tracing/start-tracing.js';
import type { Tracing } from '../platform/tracing/tracing.js';
import { tracingOptions } from '../platform/tracing/tracing.options.js';

/** A longer start is waiting for Redis. */
const LATE_MS = 1_500;
const AWAITS_REDIS = 'Redis does not answer yet';

/** Interval of log lines during a long wait. */
const REPORT_EVERY_MS = 5_000;

/** The service could not start; the message is one line for the operator and names the setting to change. */
class StartError extends Error {}

/** Overrides of a start. */
export interface StartOptions extends AppOverrides {
  /** Replaces the banner and the log line of a start. */
  readonly onStarted?: (facts: BannerFacts) => void;
  /** Called when the application has been created, before it listens. */
  readonly beforeListening?: () => Promise<void>;
}

/**
 * Keeps V8 from allocating objects in the old space by allocation site, where they would keep their references alive.
 */
function makeObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Starts the service of this process, and ends the process on a signal. A failed start prints its reason in one line.
 */
export async function start({ onStarted, beforeListening, ...overrides }: StartOptions = {}): Promise<void> {
  const began = performance.now();
  makeObjectsYoung();
  let redis: EmbeddedRedis | undefined;
  try {
    const { environment, skills: loaded, warnings } = await checkedConfig();
    const log = new PinoLogger(environment.LOG_LEVEL);
    Logger.overrideLogger(log);
    for (const warning of warnings) log.warn({ event: 'config.warning', reason: sentenceOf(warning) });
    const probe = new StartupProbe(environment.HOST, environment.PORT, faultAnswer);
    const loading = loadingWait(environment, probe, log);
    redis = environment.REDIS_URL === undefined ? await embeddedRedis(environment, loading, log) : undefined;
    const redisUrl = environment.REDIS_URL ?? redis?.url ?? '';
    if (redis === undefined) await checkFit(redisUrl, environment, { loading, log });
    await assertReadable(redisUrl, environment.KEY_PREFIX, loading.onOutage);
    const version = packageVersion();
    const identity = new ProcessIdentity();
    const tracing = await tracingOf(environment, { version, instance: identity.id });
    const traced = tracing === undefined ? {} : { tracing };
    const known = { environment, redisUrl, version, overrides, log, identity };
    const app = await createApp({ ...known, skills: loaded, ...traced });
    const skills = app.get(SkillRegistry).options;
    if (overrides.skills === undefined) assertDefaultSkill(environment, skills);
    await beforeListening?.();
    await whileProbed(app.init(), probe);
    const address = await listen(app, environment);
    endOnSignals({ app, environment, log, redis });
    const facts = { address, environment, redis, skills, version };
    for (const { skill, reasons } of unjudgedSkills(otherSkills(environment)))
      log.warn({ event: 'skill.schema-unjudged', skill, reasons });
    if (onStarted === undefined) announce(facts, log, { instance: identity.id, ms: performance.now() - began });
    else onStarted(facts);
  } catch (error) {
    await redis?.stop();
    process.stderr.write(`Parley cannot start. ${reasonOf(error)}\n`);
    process.exit(1);
  }
}

/** Checks the Redis of REDIS_URL, and logs what the operator should know of it. @throws UnfitRedis */
async function checkFit(
  url: string,
  environment: Environment,
  { loading, log }: { readonly loading: LoadingWait; readonly log: PinoLogger },
): Promise<void> {
  const how = { keyPrefix: environment.KEY_PREFIX, accept: acceptedFindings(environment) };
  for (const reason of await assertFit(url, loading, how)) log.warn({ event: 'redis.warning', reason });
}

/** The variables, checked by the rules of `parley ops doctor`. @throws StartError with a line per fault */
async function checkedConfig(): Promise<{
  readonly environment: Environment;
  readonly skills: LoadedSkills;
  readonly warnings: readonly Finding[];
}> {
  const { environment, skills, findings } = await checkConfiguration();
  const faults = findings.filter(({ severity }) => severity === 'fail');
  if (environment === undefined || skills === undefined || faults.length > 0) {
    throw new StartError(faults.map(sentenceOf).join('\n'));
  }
  return { environment, skills, warnings: findings.filter(({ severity }) => severity === 'warn') };
}

/** Without it, each message without a skill id would be rejected. */
function assertDefaultSkill({ DEFAULT_SKILL }: Environment, skills: readonly SkillOptions[]): void {
  const fault = defaultSkillFault(
    DEFAULT_SKILL,
    skills.map(({ id }) => id),
  );
  if (fault !== undefined) throw new StartError(sentenceOf(fault));
}

function reasonOf(error: unknown): string {
  const isOutage = error instanceof Error && isRedisOutage(error);
  return isOutage ? `Redis went away while the service was starting (${error.message}).` : startReason(error);
}

/** Undefined if no OpenTelemetry variable names an exporter. */
async function tracingOf(
  environment: Environment,
  process: { readonly version: string; readonly instance: string },
): Promise<Tracing | undefined> {
  const options = tracingOptions(environment, process);
  if (options === undefined) return undefined;
  const log = new Logger('Tracing');
  return startTracing(options, (reason) => {
    log.warn({ event: 'traces.not-sent', reason });
  });
}

/** The rest of a start, with the startup probe on the port until it has finished. */
async function whileProbed(rest: Promise<unknown>, probe: StartupProbe): Promise<void> {
  const isLate = setTimeout(() => {
    probe.report(AWAITS_REDIS);
  }, LATE_MS);
  await rest.finally(() => {
    clearTimeout(isLate);
  });
  await probe.close();
}

/** Options of the wait for a Redis that is loading or silent, with the progress in the log and in the startup probe. */
function loadingWait(
  { redis: { loadingSeconds } }: Environment,
  probe: StartupProbe,
  log: PinoLogger,
): LoadingWait & { readonly onOutage: OnOutage } {
  let reportedAt = -Infinity;
  return {
    mostMs: loadingSeconds * 1000,
    onLoading: (loading: Loading | 'silent') => {
      const reason = loadingText(loading);
      probe.report(reason);
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      if (loading === 'silent') log.warn({ event: 'redis.awaited', reason });
      else log.notice({ event: 'redis.loading', reason, ...loading });
    },
    onOutage: (reason) => {
      probe.report(AWAITS_REDIS);
      log.warn({ event: 'redis.awaited', reason });
    },
  };
}

function embeddedRedis(environment: Environment, loading: LoadingWait, log: PinoLogger): Promise<EmbeddedRedis> {
  const { serverProgram } = environment.redis;
  return startEmbeddedRedis({
    dataDir: environment.DATA_DIR,
    ...(serverProgram === undefined ? {} : { serverBinary: serverProgram }),
    loading,
    onProgress: (line) => {
      log.notice({ event: 'redis.preparing', reason: line });
    },
  });
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

/** The banner on a terminal, a log line otherwise. */
function announce(
  facts: BannerFacts,
  log: PinoLogger,
  { instance, ms }: { readonly instance: string; readonly ms: number },
): void {
  const { address, environment, redis, skills, version } = facts;
  if (process.stdout.isTTY) {
    process.stdout.write(bannerText(facts));
    return;
  }
  const storage = storageText(environment, redis);
  const ids = skills.map(({ id }) => id);
  const line = {
    version,
    role: environment.ROLE,
    instance,
    host: hostname(),
    pid: process.pid,
    address,
    storage,
    skills: ids,
  };
  log.notice({ event: 'service.started', ...line, ms: Math.round(ms) });
}
