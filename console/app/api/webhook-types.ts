/** The answers of `/console/api` about webhooks, as docs/console.md has them. */
export interface Attempt {
  readonly at: string;
  readonly configId: string;
  readonly origin: string;
  readonly webhookId: string;
  readonly seq: number;
  readonly attempt: number;
  readonly outcome: string;
  readonly reason?: string;
  readonly status?: number;
  readonly bytes: number;
  readonly ms: number;
}

export interface TaskWebhook {
  readonly id: string;
  readonly receiver: string;
  readonly events?: readonly string[];
  /** The time of the next attempt. */
  readonly next?: string;
}

export interface TaskWebhooks {
  readonly webhooks: readonly TaskWebhook[];
  readonly attempts: readonly Attempt[];
  readonly stopped: readonly { readonly configId: string; readonly reason: string; readonly at: string }[];
}

export interface DeadLetter {
  readonly name: string;
  readonly taskId: string;
  readonly configId: string;
  readonly seq: number;
  readonly scope: 'event' | 'webhook' | 'gap';
  readonly origin: string;
  readonly reason: string;
  readonly attempts: number;
  readonly at: string;
}

export interface DeadLetterPage {
  readonly deadLetters: readonly DeadLetter[];
  readonly count: number;
  readonly isCut: boolean;
  readonly receivers: readonly {
    readonly origin: string;
    readonly deadLetters: number;
    readonly failuresInARow: number;
    readonly openUntil?: number;
    readonly failingSince?: number;
    readonly disabled?: string;
    readonly underWay: number;
  }[];
}
