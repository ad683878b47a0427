/** What the card says that the code cannot know. */
export interface CardOptions {
  readonly name: string;
  readonly description: string;
  /** Version of the agent, not of the protocol. */
  readonly version: string;
  /** Where callers reach the agent: scheme, host and port, without a path. Absent: where the service listens. */
  readonly publicUrl?: string;
}

/** Injection token of the options. */
export const CardOptions = Symbol('CardOptions');
