/** The listen address of /metrics. */
export interface MetricsOptions {
  readonly version: string;
  readonly role: string;
  /** The interface of the service. */
  readonly host: string;
  /** A port of its own; 0 takes a free one. */
  readonly port?: number;
  /** Whether `/metrics` is on the service's own port too. */
  readonly onMainPort: boolean;
}

/** Injection token of the options. */
export const MetricsOptions = Symbol('MetricsOptions');
