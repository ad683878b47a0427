/**
 * Requests of an older protocol version that 1.0 params cannot express. They travel beside the params, never in them,
 * so that no caller can send them.
 */
export interface LegacyTerms {
  /**
   * A task id that the client made (0.1, D01-01), unique for that client only. Sending to an unknown one creates a task
   * that this client finds again by it; every other operation finds the task by it, or by the server's own id.
   */
  readonly clientTaskId?: string;
  /** The message came without an id (0.1): it has one that is made of its content. */
  readonly isUnnamed?: true;
  /**
   * The call would like to wait for the task, but only for the short limit that the service is configured with (0.1,
   * D01-11). The params say `returnImmediately` too, so a limit of 0 needs no code.
   */
  readonly waitsBriefly?: true;
}
