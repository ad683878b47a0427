import { Injectable } from '@nestjs/common';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { badParams } from '@parley/protocol/mcp/mcp-fault.js';
import { toolError, type ToolResult } from '@parley/protocol/mcp/tool-result.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { McpRequest } from '../call/mcp-request.js';
import { DIRECTORY_TOOLS, FIND_SKILLS } from './directory-tools.js';
import { ToolCalls } from './tool-calls.js';
import { ToolList } from './tool-list.js';

/** Skills of one page. */
const PAGE = 20;

/** Answers the tools of the directory, for callers with more skills than the limit of tools. */
@Injectable()
export class SkillDirectory {
  constructor(
    private readonly list: ToolList,
    private readonly tools: ToolCalls,
  ) {}

  /** Whether a call is one of these tools, and its caller has them. */
  has({ params, call }: McpRequest): boolean {
    return DIRECTORY_TOOLS.some(({ name }) => name === params.name) && this.list.isDirectory(call.principal);
  }

  /** A page of skills, or the result of the named skill. */
  async answer(request: McpRequest): Promise<object> {
    const { arguments: args = {}, name } = request.params;
    if (!isJsonObject(args)) throw badParams('"arguments" must be an object');
    return name === FIND_SKILLS ? this.found(args, request) : this.called(args, request);
  }

  private async found({ query = '', from = 0 }: JsonObject, request: McpRequest): Promise<ToolResult> {
    if (typeof query !== 'string') return toolError('query: must be a string');
    if (typeof from !== 'number' || !Number.isInteger(from) || from < 0) return toolError('from: must be 0 or more');
    const fitting = ranked(await this.list.skillsOf(request), query);
    const next = from + PAGE < fitting.length ? { next: from + PAGE } : {};
    const page = { total: fitting.length, skills: fitting.slice(from, from + PAGE), ...next };
    return { content: [{ type: 'text', text: JSON.stringify(page) }] };
  }

  /** Like a call of the skill's own tool: with the same checks, questions and tasks. */
  private async called({ skill, arguments: args = {} }: JsonObject, request: McpRequest): Promise<object> {
    if (typeof skill !== 'string') return toolError('skill: must be the name of a skill');
    if (!isJsonObject(args)) return toolError('arguments: must be an object');
    if (this.list.skillOf(skill) === undefined) {
      return toolError(`There is no skill "${skill.slice(0, 64)}": ${FIND_SKILLS} lists those that there are.`);
    }
    return this.tools.answer({ ...request, params: { ...request.params, name: skill, arguments: args } });
  }
}

/** Skills with the most matching words first, in catalog order among equals; all skills without words. */
function ranked(skills: readonly JsonObject[], query: string): readonly JsonObject[] {
  const words = query
    .slice(0, 1000)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  if (words.length === 0) return skills;
  const scored = skills.map((skill) => {
    const text = `${String(skill.name)} ${String(skill.title)} ${String(skill.description)}`.toLowerCase();
    return { skill, score: words.filter((word) => text.includes(word)).length };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ skill }) => skill);
}
