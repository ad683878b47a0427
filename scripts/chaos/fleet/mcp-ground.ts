import { readFile } from 'node:fs/promises';
import type { ToolServerStub } from '../../../test/kit/mcp-tools/tool-server-stub.js';
import type { Fleet } from './fleet.js';

export const AT_ONCE = 20;
/** The worker of a killed process is missed when its lease has ended. */
export const SETTLE_MS = 120_000;

/** The service, the marks of its skills, and a tool server that counts its requests. */
export interface Ground {
  readonly fleet: Fleet;
  readonly marks: string;
  readonly tools: ToolServerStub;
  /** Calls by the key of their step. */
  readonly counted: Map<string, number>;
}

/** The marks that skills have left: `<what> <name> <ms>`, by a clock that all processes share. */
export async function marksOf({ marks }: Ground, what: string): Promise<ReadonlyMap<string, number>> {
  const lines = (await readFile(marks, 'utf8')).split('\n').map((line) => line.split(' '));
  return new Map(lines.flatMap(([kind, name = '', ms]) => (kind === what ? [[name, Number(ms)] as const] : [])));
}

/** Whether each name has left its mark. */
export function has(marks: ReadonlyMap<string, number>, names: readonly string[]): boolean {
  return names.every((name) => marks.has(name));
}
