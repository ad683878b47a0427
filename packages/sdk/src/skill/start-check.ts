import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SkillClass, SkillHandler, SkillOptions } from './skill.js';

/** The skills that a skill can call: those of this service, and of others that it knows. */
export interface Catalog {
  readonly skills: readonly SkillOptions[];
  readonly find: (id: string) => SkillOptions | undefined;
  /** A tool of a server of MCP_SERVERS_FILE, as it is pinned there; absent: tools are not known. */
  readonly findTool?: (server: string, tool: string) => PinnedTool | undefined;
  /** Names of the models that a step may ask; absent: any. */
  readonly roles?: readonly string[] | undefined;
  /** Called with each class that a flow names. */
  readonly meet?: (skill: SkillClass) => void;
}

/** A tool of a server, for a model. */
export interface PinnedTool {
  /** '' where the file has no definition. */
  readonly description: string;
  readonly input?: JsonObject;
}

/** The catalog of exactly these skills. */
export function catalogOf(skills: readonly SkillOptions[]): Catalog {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  return { skills, find: (id) => byId.get(id) };
}

/** Lists, a line each, the reasons why a skill cannot work with the other skills of the service. */
export type StartCheck = (handler: SkillHandler, catalog: Catalog) => readonly string[];

const CHECKS = new WeakMap<object, StartCheck>();

/** Has skills of this class checked when the service starts; a fault stops the start. */
export function checkAtStart(target: SkillClass, check: StartCheck): void {
  CHECKS.set(target, check);
}

/** The faults of a skill in a catalog; none for a class without a check. */
export function startFaults(target: SkillClass, handler: SkillHandler, catalog: Catalog): readonly string[] {
  return CHECKS.get(target)?.(handler, catalog) ?? [];
}
