import type { BindingOptions } from '../binding/binding.options.js';

/** Listen address of the gRPC server. */
export interface GrpcOptions extends BindingOptions {
  readonly host: string;
  /** 0 selects a free one. */
  readonly port: number;
  /**
   * Keepalive in ms: a silent connection is pinged after this time, and closed after as long without a reply. Otherwise
   * proxies keep dead connections open.
   */
  readonly pingMs: number;
}

/** Injection token of the options. */
export const GrpcOptions = Symbol('GrpcOptions');
