/** A piece of content, in the words of no version: drivers translate it to what their client has. */
export interface DrivenPart {
  readonly text?: string;
  /** Base64. */
  readonly raw?: string;
  readonly name?: string;
  readonly mediaType?: string;
  readonly data?: unknown;
}

/** A message for a skill. */
export interface DrivenMessage {
  readonly parts: readonly DrivenPart[];
  readonly skill?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  /** Whether the call waits for the task to be settled. */
  readonly blocking?: boolean;
}

/** A task as a client shows it; states by the name that the client's version has. */
export interface DrivenTask {
  readonly id: string;
  readonly contextId: string;
  readonly state: string;
  /** The parts of all artifacts. */
  readonly parts: readonly DrivenPart[];
}

/** One event of a stream: a state for tasks and status updates, parts for artifacts. */
export interface DrivenEvent {
  readonly taskId: string;
  readonly state?: string;
  readonly parts?: readonly DrivenPart[];
}

export interface DrivenWebhook {
  readonly taskId: string;
  readonly id: string;
  readonly url: string;
}

/** What a guarded agent wants to see: an API key is in the header that its card names. */
export type DrivenCredential = { readonly bearer: string } | { readonly apiKey: string };

/** The header of the API keys of the guarded servers. */
export const KEY_HEADER = 'X-Interop-Key';

/** An agent that wants a credential. */
export interface GuardedAgent {
  readonly credentials: readonly DrivenCredential[];
  /** Opens the client under test with a credential, or without one. */
  readonly open: (credential?: DrivenCredential) => Promise<OpenedDriver>;
  /** How the client says that its credential was refused. */
  readonly refusal: RegExp;
}

export interface OpenedDriver {
  readonly driver: Partial<InteropDriver>;
  readonly close: () => Promise<void>;
}

/**
 * One official client on one binding. Every method is one call of the client, made as its documents say; it rejects with
 * the client's own error, as `name: message`.
 */
export interface SdkDriver {
  /** The agent's name and skill ids as the client read them, without being told a version where it can. */
  card(): Promise<{ readonly name: string; readonly skills: readonly string[] }>;
  send(message: DrivenMessage): Promise<DrivenTask>;
  stream(message: DrivenMessage): Promise<readonly DrivenEvent[]>;
  get(id: string): Promise<DrivenTask>;
  cancel(id: string): Promise<DrivenTask>;
  subscribe(id: string): Promise<readonly DrivenEvent[]>;
  /** Ids of the tasks of a context. */
  list(contextId: string): Promise<readonly string[]>;
  setWebhook(webhook: DrivenWebhook): Promise<DrivenWebhook>;
  getWebhook(taskId: string, id: string): Promise<DrivenWebhook>;
  listWebhooks(taskId: string): Promise<readonly DrivenWebhook[]>;
  deleteWebhook(taskId: string, id: string): Promise<null>;
}

/** What a client may be able to do: frameworks have turns where SDKs have operations. */
export interface InteropDriver extends SdkDriver {
  /** The ids of the tasks that the very same message begins, with metadata of many keys, when it is sent so often. */
  repeat(message: DrivenMessage, times: number): Promise<readonly string[]>;
  /** The text that an agent of a framework answers. */
  turn(text: string, skill?: string): Promise<string>;
  /** The states of the task behind each of several turns of one conversation. */
  turns(texts: readonly string[], skill: string): Promise<readonly string[]>;
}

/** What a driver's client cannot do: its cell is not run. */
export type Operation = keyof InteropDriver;
