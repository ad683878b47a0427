import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';

/** One stored entry of a journal: its field and its text. */
export type JournalEntry = readonly [field: string, text: string];

/** The turn's knowledge when it first waited; later messages of the task change both. */
export interface TurnHead {
  readonly metadata: JsonObject;
  readonly modes: readonly string[];
}

/** The journal of one turn. */
export interface TurnRecord {
  readonly head: TurnHead | undefined;
  /** Its numbered calls and results, as JSON. */
  readonly calls: readonly string[];
  readonly results: readonly string[];
  /** Results of steps by their names, as JSON. */
  readonly steps: ReadonlyMap<string, string>;
  /** Answers to its questions by the numbers of their calls, from 1, as JSON. */
  readonly answers: ReadonlyMap<number, string>;
}

/** The compensation of a finished step or call, in the journal. */
export interface UndoEntry {
  /** The name of the step, or the key of the call. */
  readonly of: string;
  /** The skill that undoes it, its input, and the number and duration of attempts. */
  readonly skill: string;
  readonly input?: string | JsonObject | readonly Part[];
  readonly retry?: { readonly times: number; readonly backoffMs?: number };
  readonly timeoutMs?: number;
  /** For a call: its child. It is undone only if that has completed. */
  readonly child?: string;
}

/**
 * Fields of the journal of a task: `<turn>:<step>`, `<turn>#<call>`, `<turn>=<result>`, `<turn>!<call>` for the answer
 * of a question, `<turn>~<call>.<index in its fan-out>:<name>` for a compensation (used by lua/lib/run/journal.lua),
 * and `<turn>@` for the head of a turn.
 */
export function stepField(turn: number, name: string): string {
  return `${String(turn)}:${name}`;
}

/** The turn and the name of a step; undefined for other fields of a journal. */
export function stepOf(field: string): { readonly turn: number; readonly name: string } | undefined {
  const [, turn, name = ''] = /^(\d+):(.*)$/s.exec(field) ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), name };
}

/** @param number from 1 */
export function callEntry(turn: number, number: number, json: string): JournalEntry {
  return [`${String(turn)}#${String(number)}`, json];
}

/** @param number from 1 */
export function resultEntry(turn: number, number: number, json: string): JournalEntry {
  return [`${String(turn)}=${String(number)}`, json];
}

/** @param call its number, from 0, and for a call its index in its fan-out */
export function undoEntry(turn: number, [call, place = 0]: readonly [number, number?], undo: UndoEntry): JournalEntry {
  return [`${String(turn)}~${String(call)}.${String(place)}:${undo.of}`, JSON.stringify(undo)];
}

/** The fields of compensations in a journal, newest first: work that began after other work ended precedes it. */
export function undoFields(fields: readonly string[]): readonly string[] {
  const found = fields.flatMap((field) => {
    const [, turn, call, place] = /^(\d+)~(\d+)\.(\d+):/.exec(field) ?? [];
    return turn === undefined ? [] : [{ field, turn: Number(turn), call: Number(call), place: Number(place) }];
  });
  return found.sort((a, b) => b.turn - a.turn || b.call - a.call || b.place - a.place).map(({ field }) => field);
}

export function headEntry(turn: number, head: TurnHead): JournalEntry {
  return [`${String(turn)}@`, JSON.stringify(head)];
}

/** Extracts the journal of a turn from that of its task: alternating names and values, as returned by HGETALL. */
export function turnRecord(turn: number, flat: readonly string[]): TurnRecord {
  const calls: string[] = [];
  const results: string[] = [];
  const steps = new Map<string, string>();
  const answers = new Map<number, string>();
  let head: TurnHead | undefined;
  const own = String(turn);
  for (let at = 0; at < flat.length; at += 2) {
    const [field = '', text = ''] = [flat[at], flat[at + 1]];
    if (!field.startsWith(own)) continue;
    const name = field.slice(own.length + 1);
    const kind = field[own.length];
    if (kind === ':') steps.set(name, text);
    if (kind === '#') calls[Number(name) - 1] = text;
    if (kind === '=') results[Number(name) - 1] = text;
    if (kind === '!') answers.set(Number(name), text);
    if (kind === '@') head = JSON.parse(text) as TurnHead;
  }
  return { head, calls, results, steps, answers };
}
