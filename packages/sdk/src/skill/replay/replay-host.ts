import type { QuestionSpec } from '@parley/protocol/extension/questions.js';
import type { JournalMismatch } from './journal.js';

/** A wait of a skill that has not ended. */
export interface OpenWait {
  /** Its call. */
  readonly number: number;
  /** When it ends at the latest, ms. The host may put it off. */
  until: number;
  /** Message that ends it early: one with this signal, any message for '*'; undefined where only its time ends it. */
  readonly signal: string | undefined;
  /** Whether the end of children ends it. */
  readonly isForChildren: boolean;
  /** The question whose answer ends it. */
  readonly question: QuestionSpec | undefined;
}

/** A wait as a skill begins it. */
export interface NewWait {
  /** The call in words. */
  readonly what: string;
  /** Absent: no time ends it. */
  readonly until?: number;
  readonly signal?: string;
  readonly isForChildren?: boolean;
  readonly question?: QuestionSpec;
  /** Called with the number of the call when the wait begins in this run, and not when the journal has its end. */
  readonly begin?: (number: number) => void;
}

/** Decides how a turn continues. */
export interface ReplayHost {
  /** A wait has begun that may end by its time. */
  opened(): void;
  /** The skill can continue only when one of its waits ends. */
  idle(): void;
  /** The run deviates from the record of its turn: it must end. */
  broke(error: JournalMismatch): void;
}

/** The answer of a call: its value, and the JSON that the journal keeps of it. */
export interface Answer {
  readonly value?: unknown;
  readonly json?: string;
}

/** Restores the value of a journaled answer; values that it refers to may have to be read. */
export type Recall = (json: string | undefined) => unknown;

/** A call of the skill that has no answer yet. */
export interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly recall: Recall;
}

/** An answer that the skill has not got yet. */
export interface Ready extends Answer {
  readonly call: number;
  readonly error?: unknown;
}
