/** The recording of spans by this process. */
export interface Tracing {
  /** Flushes pending spans for at most the given time and stops recording. Never throws. */
  end(timeoutMs: number): Promise<void>;
}

/** Injection token of the above. */
export const Tracing = Symbol('Tracing');

/** Called when spans could not be exported, with a sentence for the operator. */
export type TracingComplaint = (reason: string) => void;
