import type { ProcessIdentity } from './process-identity.js';
import type { ReplicaOptions } from './replicas.js';

/** The Redis of this process. */
export interface RedisOptions {
  readonly address: string;
  /** File of the address, whose credentials are read again when it changes; absent: they stay. */
  readonly addressFile?: string | undefined;
  /** Prefix of every key. */
  readonly keyPrefix: string;
  /** Whether the process is an operator's command, which waits for a slow Redis. */
  readonly isOperator?: boolean;
  /** Identity of the process already used in its tracing; absent: a new one. */
  readonly identity?: ProcessIdentity | undefined;
  /** Codes of findings about Redis that the operator has accepted; absent: none. */
  readonly accept?: readonly string[];
  /** Replicas that acknowledge writes; absent: none. */
  readonly wait?: ReplicaOptions;
}

/** Injection token of the options. */
export const RedisOptions = Symbol('RedisOptions');
