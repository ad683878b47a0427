import type { CardSecurity } from '../auth/card-security.js';

/** What the card says that the code cannot know. */
export interface CardOptions {
  readonly name: string;
  readonly description: string;
  /** Version of the agent, not of the protocol. */
  readonly version: string;
  /** Where callers reach the agent: scheme, host and port, without a path. Absent: where the service listens. */
  readonly publicUrl?: string;
  /** Host and port of the gRPC binding, where it is on. */
  readonly grpcAddress?: string;
  /** Whether webhooks are offered. */
  readonly pushNotifications: boolean;
  /** How callers prove who they are; empty when nobody has to. */
  readonly security: CardSecurity;
}

/** Injection token of the options. */
export const CardOptions = Symbol('CardOptions');
