import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { readFile, stat } from 'node:fs/promises';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { readTimestamp } from '@parley/protocol/model/timestamp.js';

/** One entry of the block list: it blocks what fits all of its members. */
export interface Block {
  readonly tenant?: string;
  readonly client?: string;
  readonly subject?: string;
  /** Id of an API key. */
  readonly apiKey?: string;
  /** Name of an issuer's key (`kid`). */
  readonly kid?: string;
  /** Id of a token (`jti`, or the claim of its profile). */
  readonly token?: string;
  /** Name of an agent in AGENTS_FILE. */
  readonly agent?: string;
  /** For the audit log; never for the caller. */
  readonly reason: string;
  /** Ms since the epoch; Infinity for none. */
  readonly until: number;
  /** Tasks of a blocked caller: `cancel` ends them at once, `hold` lets a run end and begins no further one. */
  readonly tasks: 'cancel' | 'hold';
}

const MAX_BYTES = 33_554_432;
const MAX_ENTRIES = 200_000;
const MAX_TEXT = 512;
/** Entries that are checked in one turn of the event loop. */
const IN_ONE_TURN = 2_000;
const IDS = ['apiKey', 'kid', 'token', 'agent'] as const;
const NAMES = ['tenant', 'client', 'subject', ...IDS, 'reason'] as const;
const MEMBERS: readonly string[] = [...NAMES, 'until', 'tasks'];

/** The entries of a block list. @throws Error that names the entry and its member, and no content */
export async function readBlockFile(path: string): Promise<readonly Block[]> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new Error(`it has more than ${String(MAX_BYTES)} bytes`);
  return readBlocks(await readFile(path, 'utf8'));
}

/** The same for a text: `{"blocks": [...]}`, so that a file cut anywhere is broken and not shorter. */
export async function readBlocks(text: string): Promise<readonly Block[]> {
  const entries = entriesIn(text);
  if (entries.length > MAX_ENTRIES) throw new Error(`it has more than ${String(MAX_ENTRIES)} entries`);
  const blocks: Block[] = [];
  for (const [at, entry] of entries.entries()) {
    if (at % IN_ONE_TURN === 0) await nextLoopTurn();
    blocks.push(blockOf(entry, `blocks[${String(at)}]`));
  }
  return blocks;
}

function entriesIn(text: string): readonly unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // The error of JSON.parse repeats a part of the text.
    throw new Error('it is not JSON');
  }
  const { blocks, ...others } = isJsonObject(document) ? document : {};
  if (!Array.isArray(blocks) || Object.keys(others).length > 0) throw new Error('it must be {"blocks": [...]}');
  return blocks;
}

function blockOf(entry: unknown, at: string): Block {
  if (!isJsonObject(entry)) throw new Error(`${at} must be an object`);
  const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Error(`${at} has a member that is none of ${MEMBERS.join(', ')}`);
  for (const name of NAMES) {
    if (entry[name] !== undefined && !isName(entry[name])) throw new Error(`${at}.${name} must be a text`);
  }
  const { tasks = 'cancel' } = entry;
  if (tasks !== 'cancel' && tasks !== 'hold') throw new Error(`${at}.tasks is cancel or hold`);
  checkTarget(entry, at);
  const { until: _until, ...named } = entry;
  return { reason: '', ...(named as Omit<Block, 'until' | 'reason'>), until: untilOf(entry, at), tasks };
}

/** A client or subject is one of its tenant; an id is that of a tenant, or of all; an agent has no tenant. */
function checkTarget(entry: JsonObject, at: string): void {
  const ids = IDS.filter((name) => entry[name] !== undefined);
  const isPerson = entry.client !== undefined || entry.subject !== undefined;
  if (ids.length > 1 || (ids.length === 1 && isPerson))
    throw new Error(`${at} has more than one of client or subject, ${IDS.join(', ')}`);
  if (entry.agent !== undefined && entry.tenant !== undefined) throw new Error(`${at} has agent and tenant`);
  if (ids.length === 0 && entry.tenant === undefined) throw new Error(`${at} needs tenant, ${IDS.join(', ')}`);
}

function untilOf({ until }: JsonObject, at: string): number {
  if (until === undefined) return Infinity;
  const ms = typeof until === 'string' ? readTimestamp(until) : undefined;
  if (ms === undefined) throw new Error(`${at}.until must be a time, as 2027-01-31T00:00:00Z`);
  return ms;
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}
