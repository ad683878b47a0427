import type { TaskState } from './types.js';

/** A task as A2A 1.0 has it, as far as it is shown. Its texts are those of callers and agents: hostile. */
export interface Part {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: unknown;
  readonly filename?: string;
  readonly mediaType?: string;
}

export interface Message {
  readonly messageId: string;
  readonly role: string;
  readonly parts?: readonly Part[];
  readonly metadata?: unknown;
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts?: readonly Part[];
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: TaskState; readonly message?: Message; readonly timestamp: string };
  readonly history?: readonly Message[];
  readonly artifacts?: readonly Artifact[];
}

export interface TaskContent {
  readonly trimmed: boolean;
  readonly task: Task;
}
