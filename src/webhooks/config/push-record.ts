import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import type { ProtocolVersion } from '@parley/protocol/codec/codec.js';
import type { EventKind } from './event-filter.js';

/** The record that a ciphertext belongs to: it cannot be decrypted for another one. */
export interface SealOwner {
  readonly tenant: string;
  readonly taskId: string;
  readonly configId: string;
}

/** Seals the secrets of webhooks for the store. Type and injection token. */
export interface SecretCipher {
  seal(text: string, owner: SealOwner): string;
  /** Throws when the text was changed or belongs to another owner. */
  open(sealed: string, owner: SealOwner): string;
}
export const SecretCipher = Symbol('SecretCipher');

/** The secrets of a webhook's owner. */
export interface PushSecrets {
  /** Receiver address: its path and query are often secret. Absent in records of schema 1. */
  readonly url?: string;
  readonly token?: string;
  readonly credentials?: string;
}

/** A stored webhook: everything except its secrets is plain text. */
export interface PushRecord {
  readonly id: string;
  readonly taskId: string;
  readonly tenant: string;
  readonly client: string;
  /** The person or service that the client acted for; absent in records of earlier versions too. */
  readonly subject?: string;
  /** Scheme, host and port of the receiver; in records of schema 1 the whole address. */
  readonly url: string;
  /** HTTP authentication scheme, as the owner wrote it. */
  readonly scheme?: string;
  readonly events?: readonly EventKind[];
  /** The protocol version it was registered in: bodies are written in it. */
  readonly dialect: ProtocolVersion;
  /**
   * Whether it gets published events (CloudEvents) instead of those of a task; `taskId` is the id of their log then.
   */
  readonly isOfEvents?: true;
  /** The client's own id of the task where it differs from ours (0.1). */
  readonly clientTaskId?: string;
  /** `PushSecrets` as encrypted JSON; in records of schema 1 absent if there are none. */
  readonly sealed?: string;
}

export interface RecordSource {
  readonly id: string;
  readonly taskId: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  readonly dialect: ProtocolVersion;
  readonly clientTaskId?: string;
}

/** Makes the stored form of a webhook that has been checked. */
export function recordOf(config: TaskPushNotificationConfig, source: RecordSource, cipher: SecretCipher): PushRecord {
  const { token, authentication } = config;
  const secrets: PushSecrets = {
    url: config.url,
    ...(token === undefined || token === '' ? {} : { token }),
    ...(authentication?.credentials === undefined ? {} : { credentials: authentication.credentials }),
  };
  return {
    ...source,
    url: new URL(config.url).origin,
    ...(authentication === undefined ? {} : { scheme: authentication.scheme }),
    ...(config.events === undefined ? {} : { events: config.events as readonly EventKind[] }),
    sealed: cipher.seal(JSON.stringify(secrets), sealOwnerOf(source)),
  };
}

/** Secrets that cannot be decrypted because their key is no longer configured. */
export class UnreadableSecrets extends Error {
  override readonly name = 'UnreadableSecrets';
}

/** A sealed text in plain. @throws UnreadableSecrets */
export function opened(sealed: string, owner: SealOwner, cipher: SecretCipher): string {
  try {
    return cipher.open(sealed, owner);
  } catch (cause) {
    throw new UnreadableSecrets('The secrets cannot be decrypted', { cause });
  }
}

/** @throws UnreadableSecrets */
export function secretsOf(record: PushRecord, cipher: SecretCipher): PushSecrets {
  if (record.sealed === undefined) return {};
  return JSON.parse(opened(record.sealed, sealOwnerOf(record), cipher)) as PushSecrets;
}

/** Replaces a secret in responses: they show that it is set, never its value (A2A-PCFG-10). */
const MASK = '********';

/**
 * The webhook as returned to its owner. A webhook whose key is gone is marked, so that it can be replaced and the
 * others stay listed (B19).
 */
export function viewOf(record: PushRecord, cipher: SecretCipher): TaskPushNotificationConfig {
  const { id, taskId, tenant, scheme, events } = record;
  const secrets = readableSecrets(record, cipher);
  const credentials = secrets?.credentials === undefined ? {} : { credentials: MASK };
  return {
    ...{ id, taskId, tenant, url: secrets?.url ?? record.url },
    ...(secrets === undefined ? { unreadable: true } : {}),
    ...(secrets?.token === undefined ? {} : { token: MASK }),
    ...(scheme === undefined ? {} : { authentication: { scheme, ...credentials } }),
    ...(events === undefined ? {} : { events }),
  };
}

function readableSecrets(record: PushRecord, cipher: SecretCipher): PushSecrets | undefined {
  try {
    return secretsOf(record, cipher);
  } catch (error) {
    if (error instanceof UnreadableSecrets) return undefined;
    throw error;
  }
}

export function parseRecord(text: string): PushRecord {
  return JSON.parse(text) as PushRecord;
}

/** The record that the secrets of a webhook are bound to. */
export function sealOwnerOf({ tenant, taskId, id }: Pick<PushRecord, 'tenant' | 'taskId' | 'id'>): SealOwner {
  return { tenant, taskId, configId: id };
}

/** Schemes that name a shared signing secret instead of a credential to send. */
const HMAC_SCHEME = /^hmac(?:-sha256)?$/i;

/** Whether the credentials of a webhook are its signing secret and are never sent. */
export function isSigningScheme(scheme: string | undefined): boolean {
  return scheme !== undefined && HMAC_SCHEME.test(scheme);
}

/** Whether the service signs a token for this webhook: scheme `Bearer` without credentials. */
export function wantsToken({ scheme }: PushRecord, { credentials = '' }: PushSecrets): boolean {
  return scheme?.toLowerCase() === 'bearer' && credentials === '';
}
