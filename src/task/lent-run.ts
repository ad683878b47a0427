import { type ClaimedRun, claimedRun, runValues } from './claimed-run.js';

/** A slot of a worker process for one run of another process. */
export interface LentSlot {
  /** The channel on which the worker receives cancels. */
  readonly channel: string;
  /** The channel on which it is given the run. */
  readonly lender: string;
  /** The channel of the process that has borrowed the slot. */
  readonly borrower: string;
  /** Gives the slot back: no run was given to the worker. */
  release(): void;
}

/** A run as the script that has stored its task gives it to a worker. */
export interface GivenRun {
  readonly borrower: string;
  readonly run: ClaimedRun;
  /** When it was claimed, ms by Redis' clock. */
  readonly claimedAt: number;
}

/** Bytes of a message beyond which its run is not given to a worker directly: a slow subscriber would hold it in Redis. */
const MOST_BYTES = 16 * 1024;

/** Whether the fields of a task can be given to a worker: a line each. JSON texts have no line breaks. */
export function canBeGiven(bytes: number, fields: readonly string[]): boolean {
  return bytes <= MOST_BYTES && !fields.some((field) => field.includes('\n'));
}

/** What the script puts before the time and the fields (begin.lua). */
export function headOfGiven({ borrower }: LentSlot, taskId: string, word: string): string {
  return `${borrower}\n${taskId}\n${word}\n`;
}

/** Reads what begin.lua has published. @param channel of this worker */
export function givenRun(text: string, channel: string): GivenRun {
  const lines = text.split('\n');
  const [borrower = '', taskId = '', word = '', ms] = lines;
  const claimedAt = Number(ms);
  let message = '';
  for (let at = FIRST_FIELD; at < lines.length; at += 2) if (lines[at] === 'h') message = lines[at + 1] ?? '';
  const values = runValues(lines, FIRST_FIELD);
  const reply = ['CLAIMED', claimedAt, word, values, FIRST_MESSAGE, [message], []] as const;
  return { borrower, run: claimedRun(taskId, channel, reply), claimedAt };
}

/** The line of the first field's name. */
const FIRST_FIELD = 4;
/** Indexes of the messages of a first turn, as in claim.lua. */
const FIRST_MESSAGE = [0, 1, 0] as const;
