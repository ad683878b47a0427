import type { ProcessIdentity } from './process-identity.js';
import type { ReplicaOptions } from './replicas.js';

/** The Redis of this process. */
export interface RedisOptions {
  readonly address: string;
  /** Begins every key. */
  readonly keyPrefix: string;
  /** The process is a command of an operator, whose work waits for a slow Redis. */
  readonly isOperator?: boolean;
  /** By which the process is known already, to its tracing; absent: a new name. */
  readonly identity?: ProcessIdentity | undefined;
  /** The replicas that writes wait for; absent: none. */
  readonly wait?: ReplicaOptions;
}

/** Injection token of the options. */
export const RedisOptions = Symbol('RedisOptions');
