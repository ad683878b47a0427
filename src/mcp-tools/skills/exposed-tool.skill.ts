import type { Part } from '@parley/protocol/model/message.js';
import { artifact, type SkillEvent } from '@parley/sdk/skill/events.js';
import { type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import type { ToolResult } from '@parley/sdk/skill/tools/skill-tool.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';

/**
 * A tool of a server as a skill: one call, with the input of the task as arguments. Uses journal, questions, cancel,
 * hops and tenant credential like every tool call; the caller's credential is not passed on.
 */
export class ExposedToolSkill implements SkillHandler {
  constructor(
    private readonly server: string,
    private readonly tool: string,
  ) {}

  async *run({ input, tools }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const result = await tools.call(this.server, this.tool, isJsonObject(input) ? input : {});
    if (result.isError) throw new SkillFailure(result.text === '' ? `The tool ${this.tool} has failed` : result.text);
    yield artifact('result', partsOf(result));
  }
}

/** Structured content becomes the data of the artifact: the text blocks next to it repeat it. */
function partsOf({ structured, parts, text }: ToolResult): readonly Part[] {
  if (structured === undefined) return parts.length === 0 ? [{ text }] : parts;
  const files = parts.filter((part) => 'raw' in part || 'url' in part);
  return [{ data: structured, mediaType: 'application/json' }, ...files];
}
