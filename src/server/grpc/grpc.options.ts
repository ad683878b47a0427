import type { BindingOptions } from '../http/binding.options.js';

/** Where the gRPC server listens. */
export interface GrpcOptions extends BindingOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /**
   * A connection without a sign of life for so many ms is asked for one, and cut when it gives none for as long: proxies
   * keep the others.
   */
  readonly pingMs: number;
}

/** Injection token of the options. */
export const GrpcOptions = Symbol('GrpcOptions');
