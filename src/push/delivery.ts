import { Inject, Injectable, Logger } from '@nestjs/common';
import { GuardedClient } from '../security/egress/guarded-client.js';
import { isEgressError } from '../security/egress/transport-fault.js';
import { carrierOf } from '../platform/tracing/trace-carrier.js';
import { traced } from '../platform/tracing/traced.js';
import { ATTEMPT_SPAN, attemptSpanOptions, describeVerdict } from './attempt-span.js';
import { Clock } from './clock.js';
import { PushOptions } from './push.options.js';
import { headersOf, type PushAttempt } from './request.js';
import { type AttemptResult, judge, type Verdict } from './verdict.js';

/** One attempt in a line: for the log, and for whoever asks what became of a task's webhooks. Holds no secrets. */
export interface AttemptLine {
  readonly event: 'push.attempted';
  readonly at: string;
  readonly taskId: string;
  readonly configId: string;
  readonly tenant: string;
  readonly origin: string;
  readonly webhookId: string;
  readonly seq: number;
  readonly attempt: number;
  readonly outcome: Verdict['kind'];
  /** What the receiver answered or what broke; absent when it was delivered. */
  readonly reason?: string;
  readonly status?: number;
  readonly bytes: number;
  readonly ms: number;
}

export interface AttemptOutcome {
  readonly verdict: Verdict;
  readonly line: AttemptLine;
  /** The W3C traceparent of the attempt's span, where it is recorded; else ''. */
  readonly span: string;
}

/** Hears of every attempt (metrics), and how many ms ago its event was committed. Type and injection token. */
export type PushObserver = (line: AttemptLine, lagMs: number | undefined) => void;
export const PushObserver = Symbol('PushObserver');

/** Makes one attempt to deliver one event. It neither waits nor remembers. */
@Injectable()
export class Delivery {
  private readonly log = new Logger(Delivery.name);

  constructor(
    private readonly client: GuardedClient,
    private readonly clock: Clock,
    @Inject(PushOptions) private readonly options: PushOptions,
    @Inject(PushObserver) private readonly observe: PushObserver,
  ) {}

  /** Throws only the reason of `signal`. */
  attempt(push: PushAttempt, signal: AbortSignal): Promise<AttemptOutcome> {
    return traced(
      ATTEMPT_SPAN,
      () => attemptSpanOptions(push),
      async (span) => {
        const began = performance.now();
        const result = await this.send(push, signal);
        const verdict = judge(result, push.attempt, this.clock.now());
        const line = lineOf(push, result, verdict, Math.round(performance.now() - began));
        const { committedAt } = push;
        this.observe(line, committedAt === undefined ? undefined : this.clock.now() - committedAt);
        this.log.log(line);
        describeVerdict(span, verdict);
        return { verdict, line, span: span.isRecording() ? (carrierOf(span).traceparent ?? '') : '' };
      },
    );
  }

  private async send(push: PushAttempt, signal: AbortSignal): Promise<AttemptResult> {
    try {
      const response = await this.client.request({
        method: 'POST',
        url: push.secrets.url ?? push.record.url,
        headers: headersOf(push, this.options),
        body: push.body.text,
        signal,
      });
      return { kind: 'answered', status: response.status, headers: response.headers };
    } catch (error) {
      signal.throwIfAborted();
      if (!isEgressError(error)) throw error;
      return { kind: 'failed', code: error.code };
    }
  }
}

function lineOf(push: PushAttempt, result: AttemptResult, verdict: Verdict, ms: number): AttemptLine {
  const { record, seq, webhookId, attempt, body } = push;
  return {
    event: 'push.attempted',
    at: new Date(push.now).toISOString(),
    taskId: record.taskId,
    configId: record.id,
    tenant: record.tenant,
    origin: new URL(record.url).origin,
    webhookId,
    seq,
    attempt,
    outcome: verdict.kind,
    ...('reason' in verdict ? { reason: verdict.reason } : {}),
    ...(result.kind === 'answered' ? { status: result.status } : {}),
    bytes: Buffer.byteLength(body.text),
    ms,
  };
}
