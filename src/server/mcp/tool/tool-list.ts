import { Inject, Injectable } from '@nestjs/common';
import { CallerGate } from '../../../security/auth/caller.gate.js';
import type { Principal } from '../../../security/auth/principal.js';
import { missingScope } from '../../../security/auth/scopes.js';
import { SkillRegistry } from '../../../skill/skill.registry.js';
import type { SkillOptions } from '../../../skill/skill.js';
import { McpOptions } from '../call/mcp.options.js';
import type { McpRequest } from '../call/mcp-request.js';
import { skillTool } from './skill-tool.js';
import { TASK_TOOLS } from './task-tools.js';

/** Milliseconds for which a client may keep the list: tools change only with a deployment. */
const TTL_MS = 300_000;
/** Texts that are kept; there is one for each set of visible tools. */
const MOST_TEXTS = 64;

interface ListedTool {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly text: string;
}

/** The tools of this service: which of them a caller sees, and the text of their list (MCP-SRV-1, -5). */
@Injectable()
export class ToolList {
  private readonly tools: readonly ListedTool[];
  /** Whether every caller sees the same tools. */
  private readonly isPublic: boolean;
  /** The members of each list, by which tools it has. */
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly skills: SkillRegistry,
    private readonly gate: CallerGate,
    @Inject(McpOptions) { taskTools }: McpOptions,
  ) {
    const ofSkills = skills.options.map((skill) => listed(skillTool(skill), skill.id, skill.scopes ?? []));
    const ofTasks = taskTools ? TASK_TOOLS.map(({ name, scope, tool }) => listed(tool, name, [scope])) : [];
    const names = new Set([...ofSkills, ...ofTasks].map(({ name }) => name));
    if (names.size !== ofSkills.length + ofTasks.length) {
      throw new Error('A skill has the name of a tool about tasks: rename it, or set MCP_TASK_TOOLS=false');
    }
    this.tools = [...ofSkills, ...ofTasks];
    this.isPublic = this.tools.every(({ scopes }) => scopes.length === 0);
  }

  /** The skill behind a tool; undefined for a name that no tool has. */
  skillOf(name: string): SkillOptions | undefined {
    return this.skills.find(name)?.options;
  }

  /** The members of a `tools/list` result for a caller: JSON without its outer braces. Made once for each set of tools. */
  textFor(principal: Principal): string {
    const visible = this.tools.filter(({ scopes }) => missingScope(principal, scopes) === undefined);
    const key = visible.map(({ name }) => name).join(' ');
    const known = this.texts.get(key);
    if (known !== undefined) return known;
    const text = `"tools":[${visible.map((tool) => tool.text).join(',')}]`;
    if (this.texts.size >= MOST_TEXTS) this.texts.clear();
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

function listed(tool: object, name: string, scopes: readonly string[]): ListedTool {
  return { name, scopes, text: JSON.stringify(tool) };
}
