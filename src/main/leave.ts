import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Environment } from './app.environment.js';
import { Lifecycle } from '../http/health/lifecycle.js';
import type { PinoLogger } from '../platform/logging/pino.logger.js';
import type { EmbeddedRedis } from '../platform/redis/embedded/embedded-redis.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type EndSignal = (typeof SIGNALS)[number];

/** After Ctrl-C a person waits at the terminal. */
const INTERRUPT_MS = 2_500;
/** Time after the drain: streams end, connections close. */
const CLOSE_MS = 5_000;
const CLOSE_IDLE_EVERY_MS = 100;
/** A Ctrl-C under npm arrives twice: from the terminal, and forwarded by npm. */
const SAME_PRESS_MS = 500;
/** The exit code after Ctrl-C, as shells report it. */
const INTERRUPTED = 130;

/** The process to end, as created by its start. */
export interface RunningService {
  readonly app: NestFastifyApplication;
  readonly environment: Environment;
  readonly log: PinoLogger;
  readonly redis: EmbeddedRedis | undefined;
}

/**
 * Ends the process on SIGTERM or Ctrl-C: in order, and by force if a step hangs, since a close without Redis would wait
 * for ever. A second Ctrl-C ends it at once. The embedded Redis ends after this process, since it is used until then.
 */
export function endOnSignals(service: RunningService): void {
  let leftAt: number | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (leftAt === undefined) {
        leftAt = performance.now();
        void leave(service, signal);
      } else if (signal === 'SIGINT' && performance.now() - leftAt > SAME_PRESS_MS) {
        end(service, INTERRUPTED, 'interrupted again');
      }
    });
  }
}

async function leave(service: RunningService, signal: EndSignal): Promise<void> {
  const { app, environment, log, redis } = service;
  const began = performance.now();
  const delayMs = leaveDelayMs(environment, signal);
  const drainMs = signal === 'SIGINT' ? 0 : environment.DRAIN_MS;
  const longest = signal === 'SIGINT' ? INTERRUPT_MS : delayMs + drainMs + CLOSE_MS;
  setTimeout(() => {
    end(service, 1, 'did not end in time');
  }, longest).unref();
  log.notice({ event: 'service.leaving', signal, delayMs, drainMs });
  redis?.announceStop(longest);
  app.get(Lifecycle).leave();
  await pause(delayMs);
  log.notice({ event: 'service.draining', drainMs });
  // Nest's interface does not say that its application passes the signal on to the shutdown hooks.
  const closing: { close(signal: string): Promise<void> } = app;
  setInterval(closeIdleConnections, CLOSE_IDLE_EVERY_MS, app).unref();
  await closing.close(signal);
  // 0, or the exit code set by the watchdog.
  end(service, Number(process.exitCode ?? 0), 'drained', Math.round(performance.now() - began));
}

/**
 * Balancers need time to notice the shutdown; calls are served meanwhile. Workers and dispatchers get no calls, and
 * after Ctrl-C a person waits, so these do not delay.
 */
function leaveDelayMs({ ROLE, LEAVE_DELAY_MS }: Environment, signal: EndSignal): number {
  const isRoutedTo = ROLE === 'all' || ROLE === 'api';
  return signal === 'SIGTERM' && isRoutedTo ? LEAVE_DELAY_MS : 0;
}

function end({ log }: RunningService, exitCode: number, reason: string, ms?: number): never {
  log.notice({ event: 'service.ended', exitCode, reason, ms });
  process.exit(exitCode);
}

/** A connection kept alive after its last answer would delay the end of the server. */
function closeIdleConnections(app: NestFastifyApplication): void {
  const server = app.getHttpServer();
  if (!server.listening) server.closeIdleConnections();
}
