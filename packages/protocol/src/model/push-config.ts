/** How the agent authenticates to a webhook (A2A 1.0 `AuthenticationInfo`). */
export interface AuthenticationInfo {
  /** An HTTP authentication scheme of the IANA registry, any case. */
  readonly scheme: string;
  readonly credentials?: string;
}

/** A webhook registered for a task (A2A 1.0 `TaskPushNotificationConfig`). */
export interface TaskPushNotificationConfig {
  readonly tenant?: string;
  readonly id?: string;
  readonly taskId?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: AuthenticationInfo;
  /**
   * Not in the published schema: event filter, `status`, `artifact` or names of states (SEED-13).
   * Absent: everything.
   */
  readonly events?: readonly string[];
  /**
   * Not in the published schema, in answers only: the service no longer has the key that its secrets are encrypted with, so nothing
   * is delivered. `url` is then the scheme, host and port.
   */
  readonly unreadable?: true;
}
