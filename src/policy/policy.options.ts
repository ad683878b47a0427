import type { PolicyFileDto } from './dto/policy-file.dto.js';

/** The policy of this process. */
export interface PolicyOptions {
  /** As it was read at the start; absent: no rules. */
  readonly policy?: PolicyFileDto;
  /** The file, which is read again when it changes. */
  readonly file?: string;
  /** Milliseconds between two looks at the file. Default 1,000. */
  readonly lookEveryMs?: number;
}

/** Injection token of the options. */
export const PolicyOptions = Symbol('PolicyOptions');
