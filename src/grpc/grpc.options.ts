import type { BindingOptions } from '../http/binding.options.js';

/** Where the gRPC server listens. */
export interface GrpcOptions extends BindingOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Injection token of the options. */
export const GrpcOptions = Symbol('GrpcOptions');
