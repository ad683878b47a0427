import { Inject, Injectable, Logger } from '@nestjs/common';
import { GuardedClient } from '../../../outbound/guarded-client.js';
import { isEgressError } from '../../../outbound/transport-fault.js';
import { carrierOf } from '../../../platform/tracing/trace-carrier.js';
import { traced } from '../../../platform/tracing/traced.js';
import { ATTEMPT_SPAN, attemptSpanOptions, describeOutcome } from './attempt-span.js';
import { LocalReceivers } from '../../local-receivers.js';
import { PushClock } from '../../push.clock.js';
import type { EndpointSign } from '../../../platform/breaker/endpoint-breaker.js';
import { PushOptions } from '../../push.options.js';
import type { PushRecord } from '../../config/push-record.js';
import type { LoggedEvent } from '../../../tasks/commit/event-log.js';
import { headersOf, type PushAttempt, webhookIdOf } from './request.js';
import { type AttemptOutcome, type AttemptResult, outcomeOf, signOf } from './attempt-outcome.js';

/** The record of one attempt, for the log and for the webhook's owner. Contains no secrets. */
export interface AttemptLog {
  readonly event: 'push.attempted';
  readonly at: string;
  readonly taskId: string;
  readonly configId: string;
  readonly tenant: string;
  readonly origin: string;
  readonly webhookId: string;
  readonly seq: number;
  readonly attempt: number;
  readonly outcome: AttemptOutcome['kind'];
  /** The receiver's refusal or the connection error; absent if it was delivered. */
  readonly reason?: string;
  readonly status?: number;
  readonly bytes: number;
  readonly ms: number;
}

/** An attempt that was sent. */
export interface MadeAttempt {
  readonly outcome: AttemptOutcome;
  readonly sign: EndpointSign;
  readonly log: AttemptLog;
  /** The W3C traceparent of the attempt's span, where it is recorded; else ''. */
  readonly span: string;
}

/** Called for every attempt (metrics), with the ms since its event was committed. Type and injection token. */
export type PushObserver = (line: AttemptLog, lagMs: number | undefined) => void;
export const PushObserver = Symbol('PushObserver');

/** Makes one attempt to deliver one event. Stateless. */
@Injectable()
export class AttemptSender {
  private readonly log = new Logger(AttemptSender.name);

  constructor(
    private readonly client: GuardedClient,
    private readonly local: LocalReceivers,
    private readonly clock: PushClock,
    @Inject(PushOptions) private readonly options: PushOptions,
    @Inject(PushObserver) private readonly observe: PushObserver,
  ) {}

  /** Throws only the reason of `signal`. */
  send(push: PushAttempt, signal: AbortSignal): Promise<MadeAttempt> {
    return traced(
      ATTEMPT_SPAN,
      () => attemptSpanOptions(push),
      async (span) => {
        const began = performance.now();
        const result = await this.request(push, signal);
        const outcome = outcomeOf(result, push.attempt, this.clock.now());
        const log = logOf(push, result, outcome, Math.round(performance.now() - began));
        const { committedAt } = push;
        this.observe(log, committedAt === undefined ? undefined : this.clock.now() - committedAt);
        this.log.log(log);
        describeOutcome(span, outcome);
        const traceparent = span.isRecording() ? (carrierOf(span).traceparent ?? '') : '';
        return { outcome, sign: signOf(result), log, span: traceparent };
      },
    );
  }

  /** Records an attempt that could not be made because the key of the webhook's secrets is gone. */
  unreadable(record: PushRecord, logged: LoggedEvent, attempt: number): AttemptLog {
    const about = { record, seq: logged.seq, webhookId: webhookIdOf(record.taskId, logged), attempt };
    const made = { outcome: 'retry', reason: 'unreadable', bytes: 0, ms: 0 } as const;
    const log: AttemptLog = { ...headOf({ ...about, now: this.clock.now() }), ...made };
    this.log.error(log);
    return log;
  }

  private async request(push: PushAttempt, signal: AbortSignal): Promise<AttemptResult> {
    const url = push.secrets.url ?? push.record.url;
    const headers = headersOf(push, this.options);
    const body = push.body.text;
    const local = this.local.of(url);
    if (local !== undefined) {
      const isTaken = await local.deliver(push, url, headers);
      return { kind: 'answered', status: isTaken ? 204 : 410, headers: {} };
    }
    try {
      const response = await this.client.request({ method: 'POST', url, headers, body, signal });
      return { kind: 'answered', status: response.status, headers: response.headers };
    } catch (error) {
      signal.throwIfAborted();
      if (!isEgressError(error)) throw error;
      return { kind: 'failed', code: error.code };
    }
  }
}

function logOf(push: PushAttempt, result: AttemptResult, outcome: AttemptOutcome, ms: number): AttemptLog {
  return {
    ...headOf(push),
    outcome: outcome.kind,
    ...('reason' in outcome ? { reason: outcome.reason } : {}),
    ...(result.kind === 'answered' ? { status: result.status } : {}),
    bytes: Buffer.byteLength(push.body.text),
    ms,
  };
}

type LogHead = Omit<AttemptLog, 'outcome' | 'reason' | 'status' | 'bytes' | 'ms'>;

function headOf(push: Pick<PushAttempt, 'record' | 'seq' | 'webhookId' | 'attempt' | 'now'>): LogHead {
  const { record, seq, webhookId, attempt, now } = push;
  return {
    event: 'push.attempted',
    at: new Date(now).toISOString(),
    taskId: record.taskId,
    configId: record.id,
    tenant: record.tenant,
    origin: new URL(record.url).origin,
    ...{ webhookId, seq, attempt },
  };
}
