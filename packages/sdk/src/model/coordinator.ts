import type { Values } from '../agent/flow/branch-values.js';
import { checkTarget, outcomeOf } from '../agent/flow/call-step.js';
import type { Known, Scope } from '../agent/check/scope.js';
import { checkInput, inputOf, type StepInput } from '../agent/source.js';
import { FlowEnd, type Frame, keyOf, named, NOTHING, type Outcome, type Step } from '../agent/step.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { jsonSchemaOf } from '../skill/contract/json-schema.js';
import type { DtoClass } from '../skill/skill.js';
import { turnContent } from '../skill/content/turn-content.js';
import { converse, type Conversing, jsonOf } from './converse.js';
import type { Model } from './model.js';
import type { ModelReply } from './model.port.js';
import type { ModelTools } from './model-tools.js';
import { type AgentTool, skillTool, type SkillToolOptions, type Tool, usedSkill } from './tool.js';

/** An agent whose steps a language model chooses. */
export interface CoordinatorOptions<State extends object = Values> extends Pick<
  Conversing,
  'maxModelCalls' | 'maxToolCalls'
> {
  /** The name under which later steps find its answer. Without it the answer is the agent's, and is streamed. */
  readonly as?: string;
  readonly model: Model;
  readonly skills: ModelTools;
  /** Role of the agent, and how it should work. */
  readonly instruction: string;
  /** Prompt of the model; default: the messages of the task so far. */
  readonly input?: StepInput<State>;
  /** Skills that the model may call (`agentTool`), and functions (`functionTool`). */
  readonly tools?: readonly (AgentTool | Tool)[];
  /** Skills that it may hand the conversation to: the caller's next messages go to them until they end. */
  readonly transfers?: readonly string[];
  /** `return` (default): the model has the last word. `stay`: the result of the other agent is that of the flow, which ends. */
  readonly afterTransfer?: 'return' | 'stay';
  /** The contract of the answer: a class, or JSON Schema. */
  readonly output?: DtoClass | JsonObject;
}

/**
 * Lets a language model choose which skills do the work, and answer with their results. Each call of the model is a step of the
 * journal and each call of a tool a child task, so a crash repeats neither.
 */
export function coordinator<State extends object = Values>(options: CoordinatorOptions<State>): Step<State> {
  const { as } = options;
  return {
    name: 'coordinator',
    ...named(as),
    run: (frame) => coordinated(options, frame),
    check: (scope) => checkCoordinator(options, scope),
  };
}

async function coordinated<State extends object>(options: CoordinatorOptions<State>, frame: Frame): Promise<Outcome> {
  const { as, model, instruction, input, maxModelCalls, maxToolCalls } = options;
  const output = schemaOf(options);
  const isStreamed = as === undefined && output === undefined;
  const conversing: Conversing = {
    ...{ instruction, tools: toolsFor(options), key: `${keyOf(frame, 'coordinator')} ` },
    ...(input === undefined ? {} : { messages: [{ role: 'user', text: textOf(inputOf(input, frame)) }] }),
    ...(maxModelCalls === undefined ? {} : { maxModelCalls }),
    ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
    ...(output === undefined ? {} : { output }),
  };
  const events = converse(frame.context, model, conversing);
  for (;;) {
    const next = await events.next();
    if (next.done === true) return isStreamed ? NOTHING : valueOf(next.value, output);
    if (isStreamed) frame.emit(next.value);
  }
}

function valueOf(reply: ModelReply, output: JsonObject | undefined): Outcome {
  return { value: output === undefined ? reply.text : jsonOf(reply), artifacts: [] };
}

function toolsFor<State extends object>({
  skills,
  tools = [],
  transfers = [],
  afterTransfer = 'return',
}: CoordinatorOptions<State>): readonly Tool[] {
  const called = tools.map((tool) => (isSkill(tool) ? skillTool(skillOf(tool, skills)) : tool));
  const handed = transfers.map((id) => {
    const skill = { ...skills.find(id), name: `transfer_to_${id}`.replaceAll(/[^\w-]/g, '_'), transfer: true };
    return afterTransfer === 'return' ? skillTool(skill) : leavingTool(skill);
  });
  return [...called, ...handed];
}

/** The flow ends with the result of the other agent. */
function leavingTool(skill: SkillToolOptions): Tool {
  const { tool } = skillTool(skill);
  return {
    tool,
    run: async (context, given, key) => {
      const result = await usedSkill(skill, context, { given, key });
      throw new FlowEnd('completed', '', outcomeOf(result));
    },
  };
}

function skillOf({ skillId, approval }: AgentTool, skills: ModelTools): SkillToolOptions {
  const { approval: usual, ...skill } = skills.find(skillId);
  const asked = approval ?? usual;
  return { ...skill, ...(asked === undefined || asked === false ? {} : { approval: asked }) };
}

function isSkill(tool: AgentTool | Tool): tool is AgentTool {
  return 'skillId' in tool;
}

function schemaOf<State extends object>({ output }: CoordinatorOptions<State>): JsonObject | undefined {
  return typeof output === 'function' ? jsonSchemaOf(output) : output;
}

function textOf(input: ReturnType<typeof inputOf>): string {
  if (typeof input === 'string') return input;
  if (!Array.isArray(input)) return JSON.stringify(input);
  const { text, data } = turnContent([{ parts: input }]);
  return [text, ...data.map((value) => JSON.stringify(value))].filter((part) => part !== '').join('\n');
}

function checkCoordinator<State extends object>(options: CoordinatorOptions<State>, scope: Scope): Known {
  const { as, instruction, input, tools = [], transfers = [], afterTransfer } = options;
  if (instruction.trim() === '') scope.fault('the coordinator has no instruction');
  if (tools.length + transfers.length === 0) scope.fault('the coordinator has neither tools nor transfers');
  for (const bound of ['maxModelCalls', 'maxToolCalls'] as const) {
    const most = options[bound] ?? 1;
    if (!(Number.isInteger(most) && most > 0)) scope.fault(`${bound} is a whole number above 0`);
  }
  if (input !== undefined) checkInput(input, { skillId: 'coordinator', schema: undefined }, scope);
  // A tool with irreversible effects is approved by the caller.
  for (const id of tools.filter(isSkill).map(({ skillId }) => skillId)) checkAgent(id, true, scope);
  for (const id of transfers) checkAgent(id, false, scope);
  const names = [...tools.map((tool) => (isSkill(tool) ? tool.skillId : tool.tool.name)), ...transfers];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) scope.fault(`the coordinator has "${twice}" twice`);
  const schema = schemaOf(options);
  const origin = 'the answer of the coordinator';
  if (schema !== undefined) return { schema, origin };
  if (afterTransfer === 'stay') return { origin };
  return as === undefined ? { origin } : { schema: { type: 'string' }, origin };
}

function checkAgent(id: string, isApproved: boolean, scope: Scope): void {
  const target = scope.catalog.find(id);
  if (target === undefined) scope.fault(`there is no skill "${id}"`);
  else if (target.direct === true) scope.fault(`"${id}" is direct: it has no task that could be called`);
  else checkTarget(target, isApproved, scope);
}
