import type { PolicyFileDto } from './dto/policy-file.dto.js';

/** The policy of this process. */
export interface PolicyOptions {
  /** The policy read at the start; absent: no rules. */
  readonly policy?: PolicyFileDto;
  /** The file, read again when it changes. */
  readonly file?: string;
  /** Polling interval of the file, ms. Default 1,000. */
  readonly pollEveryMs?: number;
}

/** Injection token of the options. */
export const PolicyOptions = Symbol('PolicyOptions');
