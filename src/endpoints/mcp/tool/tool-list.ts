import { Inject, Injectable } from '@nestjs/common';
import { CallerGate } from '../../../auth/caller.gate.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Principal } from '../../../auth/principal.js';
import { missingScope } from '../../../auth/scopes.js';
import { SkillRegistry } from '../../../skill/skill.registry.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { McpOptions } from '../call/mcp.options.js';
import type { McpRequest } from '../call/mcp-request.js';
import { DIRECTORY_TOOLS } from './directory-tools.js';
import { skillTool } from './skill-tool.js';
import { TASK_TOOLS } from './task-tools.js';

/** Cache lifetime of the list, ms: tools change only with a deployment. */
const TTL_MS = 300_000;
/** Cached texts; there is one per set of visible tools. */
const MAX_TEXTS = 64;

interface ListedTool {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly tool: JsonObject;
  readonly text: string;
}

/** Replaces the tools of very many skills. */
const OF_DIRECTORY = DIRECTORY_TOOLS.map(({ name, tool }) => listed(tool, name, []));

/** The tools of this service: those visible to a caller, and the text of their list (MCP-SRV-1, -5). */
@Injectable()
export class ToolList {
  private readonly ofSkills: readonly ListedTool[];
  private readonly ofTasks: readonly ListedTool[];
  private readonly mostTools: number;
  /** Whether every caller sees the same tools. */
  private readonly isPublic: boolean;
  /** The members of each list, by its tools. */
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly skills: SkillRegistry,
    private readonly gate: CallerGate,
    @Inject(McpOptions) { taskTools, mostTools }: Pick<McpOptions, 'taskTools' | 'mostTools'>,
  ) {
    this.mostTools = mostTools;
    this.ofSkills = skills.options.map((skill) => listed(skillTool(skill), skill.id, skill.scopes ?? []));
    this.ofTasks = taskTools ? TASK_TOOLS.map(({ name, scope, tool }) => listed(tool, name, [scope])) : [];
    const all = [...this.ofSkills, ...this.ofTasks, ...OF_DIRECTORY];
    if (new Set(all.map(({ name }) => name)).size !== all.length) {
      throw new Error('A skill has the name of a tool of the service itself, as parley_task_get: rename it');
    }
    this.isPublic = all.every(({ scopes }) => scopes.length === 0);
  }

  /** The skill behind a tool; undefined for an unknown name. */
  skillOf(name: string): SkillOptions | undefined {
    return this.skills.find(name)?.options;
  }

  /** The skills that a caller may call, as tools; counted like the list. @throws AuthError, RateLimitedError */
  async skillsOf({ call }: Pick<McpRequest, 'call'>): Promise<readonly JsonObject[]> {
    call.setHeaders(await this.gate.permitList(call.principal));
    return visibleTo(call.principal, this.ofSkills).map(({ tool }) => tool);
  }

  /**
   * Whether a caller has more callable skills than are exposed as tools, and so gets a directory of them
   * (MCP-BRIDGE-4).
   */
  isDirectory(principal: Principal): boolean {
    return visibleTo(principal, this.ofSkills).length > this.mostTools;
  }

  /** The members of a `tools/list` result for a caller: JSON without its outer braces. Built once per set of tools. */
  textFor(principal: Principal): string {
    const skills = visibleTo(principal, this.ofSkills);
    const shown = skills.length > this.mostTools ? OF_DIRECTORY : skills;
    const visible = [...shown, ...visibleTo(principal, this.ofTasks)];
    const key = visible.map(({ name }) => name).join(' ');
    const known = this.texts.get(key);
    if (known !== undefined) return known;
    const text = `"tools":[${visible.map((tool) => tool.text).join(',')}]`;
    if (this.texts.size >= MAX_TEXTS) this.texts.clear();
    this.texts.set(key, text);
    return text;
  }

  /** The text of a `tools/list` result. @throws AuthError, RateLimitedError */
  async answer({ call, isModern }: McpRequest): Promise<string> {
    call.setHeaders(await this.gate.permitList(call.principal));
    const tools = this.textFor(call.principal);
    if (!isModern) return `{${tools}}`;
    const scope = this.isPublic ? 'public' : 'private';
    return `{${tools},"resultType":"complete","ttlMs":${String(TTL_MS)},"cacheScope":"${scope}"}`;
  }
}

function visibleTo(principal: Principal, tools: readonly ListedTool[]): readonly ListedTool[] {
  return tools.filter(({ scopes }) => missingScope(principal, scopes) === undefined);
}

function listed(tool: JsonObject, name: string, scopes: readonly string[]): ListedTool {
  return { name, scopes, tool, text: JSON.stringify(tool) };
}
