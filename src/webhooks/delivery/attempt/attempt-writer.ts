import { Inject, Injectable } from '@nestjs/common';
import type { LoggedEvent } from '../../../tasks/commit/event-log.js';
import { PushClock } from '../../push.clock.js';
import type { Batch, ClaimedCursor } from '../cursor.store.js';
import { keptBody, type PushBody, PushBodies } from './push-body.js';
import { type PushRecord, SecretCipher, secretsOf, wantsToken } from '../../config/push-record.js';
import { type PushAttempt, webhookIdOf } from './request.js';
import { SigningKeys } from '../../signing/signing-keys.js';
import { WebhookTokens } from '../../signing/webhook-tokens.js';

/** What signs the attempts of a delivery. */
export type OpenedSecrets = Pick<PushAttempt, 'secrets' | 'keys'>;

/** Builds an attempt: body, secrets and signing keys. Only this class decrypts secrets of webhooks for sending. */
@Injectable()
export class AttemptWriter {
  constructor(
    private readonly bodies: PushBodies,
    private readonly signing: SigningKeys,
    private readonly tokens: WebhookTokens,
    private readonly clock: PushClock,
    @Inject(SecretCipher) private readonly cipher: SecretCipher,
  ) {}

  /** The secrets and signing keys of a webhook. @throws UnreadableSecrets */
  async open(record: PushRecord): Promise<OpenedSecrets> {
    const secrets = secretsOf(record, this.cipher);
    return { secrets, keys: await this.signing.keysOf(record, secrets) };
  }

  /** Undefined when the task is gone. */
  async write(
    { record, trace }: ClaimedCursor,
    batch: Batch,
    logged: LoggedEvent,
    { secrets, keys }: OpenedSecrets,
  ): Promise<PushAttempt | undefined> {
    const body = keptBodyOf(batch, logged) ?? (await this.bodies.bodyOf(record, logged));
    if (body === undefined) return undefined;
    const now = this.clock.now();
    const { taskId, url, dialect } = record;
    const { seq, nonce } = logged;
    const webhookId = webhookIdOf(taskId, logged);
    const { attemptBefore, tries } = batch;
    const sent = { record, secrets, keys, body, trace, attemptBefore, seq, nonce, webhookId, attempt: tries + 1, now };
    const push = { ...sent, ...commitTimeOf(logged) };
    if (!wantsToken(record, secrets)) return push;
    return { ...push, bearer: await this.tokens.sign({ url, taskId, webhookId, body: body.text, now, dialect }) };
  }
}

/** Only status events carry their commit time. */
function commitTimeOf({ event: { value } }: LoggedEvent): { committedAt?: number } {
  return 'statusUpdate' in value ? { committedAt: Date.parse(value.statusUpdate.status.timestamp) } : {};
}

/** Larger bodies are not stored per webhook: the next attempt builds its own from the current task. */
const MAX_KEPT_BYTES = 65_536;

/** The body to store for the next attempt: `<seq> <nonce> <text>`, or empty if the log has it. */
export function bodyToKeep(push: PushAttempt): { body?: string } {
  const { isLogged, text } = push.body;
  return isLogged || text.length > MAX_KEPT_BYTES ? {} : { body: markOf(push) + text };
}

function keptBodyOf({ keptBody: kept }: Batch, logged: LoggedEvent): PushBody | undefined {
  const mark = markOf(logged);
  return kept.startsWith(mark) ? keptBody(kept.slice(mark.length)) : undefined;
}

function markOf({ seq, nonce }: Pick<LoggedEvent, 'seq' | 'nonce'>): string {
  return `${String(seq)} ${nonce} `;
}
