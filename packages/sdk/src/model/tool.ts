import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { CallOptions, CallResult } from '../skill/calls/call.js';
import type { SkillContext } from '../skill/skill.js';
import type { ModelTool } from './model.port.js';

/** A tool for a model, and its effect. */
export interface Tool {
  readonly tool: ModelTool;
  /** Returns the result that the model reads. @param key of this call: the same in each run of the turn */
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
  /** Name of the tool for the model; default: the id, as far as models take it. */
  readonly name?: string;
  /** Description by which the model chooses it. */
  readonly description: string;
  /** JSON Schema of its input; default: one text. */
  readonly parameters?: JsonObject;
  readonly examples?: readonly string[];
  /** The caller must approve each call, or one of the approvers named here. */
  readonly approval?: CallOptions['approval'];
  /** Hands the conversation over: the caller's next messages go to the skill until it ends. Not together with `approval`. */
  readonly transfer?: boolean;
}

/** A skill of the service as a tool, by its id: the model reads the description on its card. */
export interface AgentTool {
  readonly skillId: string;
  /** Absent: asked for where the effects of the skill are irreversible. */
  readonly approval?: CallOptions['approval'] | false;
}

/**
 * A skill of the service, or `remote(…)` of another one, as a tool of a coordinator. Calls of a skill with irreversible effects are
 * approved by the caller first; `approval: false` says that they need not be.
 */
export function agentTool(skillId: string, { approval }: Pick<AgentTool, 'approval'> = {}): AgentTool {
  return { skillId, ...(approval === undefined ? {} : { approval }) };
}

/** Another skill as a tool: each call is a child task, whose contract checks the arguments. */
export function skillTool(options: SkillToolOptions): Tool {
  const { id, name = id.replaceAll(/[^\w-]/g, '_'), description, parameters = TEXT_ONLY, examples = [] } = options;
  return {
    tool: { name, description, parameters, examples },
    run: async (context, given, key) => {
      const { text, data } = await usedSkill(options, context, { given, key });
      return [text, ...data.map((value) => JSON.stringify(value))].filter((part) => part !== '').join('\n');
    },
  };
}

/** Calls the skill of a tool, or hands the conversation over to it. */
export function usedSkill(
  { id, parameters, approval, transfer = false }: SkillToolOptions,
  context: SkillContext,
  { given, key }: { readonly given: JsonObject; readonly key: string },
): PromiseLike<CallResult> {
  const isText = parameters === undefined;
  const said = typeof given.text === 'string' ? given.text : '';
  if (transfer) return context.transfer(id, isText ? saidWith(said, context) : given, { key });
  const input = isText ? said : given;
  return context.call(id, input, { key, ...(approval === undefined ? {} : { approval }) });
}

/** A text in place of the texts of this turn, with its files and data. */
function saidWith(text: string, { messages }: SkillContext): readonly Part[] {
  const others = messages.flatMap(({ parts }) => parts.filter((part) => !('text' in part)));
  return [{ text }, ...others];
}

function textOf(result: string | JsonObject): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}
