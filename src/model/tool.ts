import type { JsonObject } from '../protocol/json.js';
import type { CallOptions } from '../skill/calls/call.js';
import type { SkillContext } from '../skill/skill.js';
import type { ModelTool } from './model.port.js';

/** A tool for a model, and what calling it does. */
export interface Tool {
  readonly tool: ModelTool;
  /** Returns what the model reads. @param key of this call: the same in each run of the turn */
  run(context: SkillContext, given: JsonObject, key: string): Promise<string>;
}

const TEXT_ONLY: JsonObject = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The request, complete: nothing else is known to the tool.' } },
  required: ['text'],
};

/** A function as a tool. It runs in a step: after a crash its stored result is used. */
export function functionTool(
  tool: ModelTool,
  work: (given: JsonObject, context: SkillContext) => Promise<string | JsonObject>,
): Tool {
  return {
    tool,
    run: (context, given, key) => context.step(key, async () => textOf(await work(given, context))),
  };
}

/** A skill that is a tool. */
export interface SkillToolOptions {
  readonly id: string;
  /** What the model reads to choose it. */
  readonly description: string;
  /** JSON Schema of its input; default: one text. */
  readonly parameters?: JsonObject;
  readonly examples?: readonly string[];
  /** The caller must approve each call, or one of the approvers named here. */
  readonly approval?: CallOptions['approval'];
}

/** Another skill as a tool: each call is a child task, whose contract checks the arguments. */
export function skillTool({
  id,
  description,
  parameters = TEXT_ONLY,
  examples = [],
  approval,
}: SkillToolOptions): Tool {
  const options = approval === undefined ? {} : { approval };
  return {
    tool: { name: id, description, parameters, examples },
    async run(context, given, key) {
      const input = parameters === TEXT_ONLY ? (typeof given.text === 'string' ? given.text : '') : given;
      const { text, data } = await context.call(id, input, { key, ...options });
      return [text, ...data.map((value) => JSON.stringify(value))].filter((part) => part !== '').join('\n');
    },
  };
}

function textOf(result: string | JsonObject): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
