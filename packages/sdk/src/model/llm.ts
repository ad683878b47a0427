import type { Part } from '@parley/protocol/model/message.js';
import type { Known, Scope } from '../agent/check/scope.js';
import { checkStep } from '../agent/flow/check-step.js';
import type { Values } from '../agent/flow/branch-values.js';
import { checkInput, inputOf, type StepInput } from '../agent/source.js';
import { asked, type Facts, type Frame, keyOf, named, NOTHING, type Outcome, type Step, take } from '../agent/step.js';
import type { WantedConversation } from '../skill/context/conversation.js';
import { hostOf, NotSupported } from '../skill/context/skill-host.js';
import type { CallInput } from '../skill/calls/call.js';
import { SkillFailure, type SkillRef } from '../skill/skill.js';
import { converse, type Conversed, type Conversing, offeredBy } from './converse.js';
import { limitFaults } from './loop-limits.js';
import { messagesOf } from './messages.js';
import { Model } from './model.js';
import type { ModelMessage } from './model.port.js';
import { type Output, valueSchema } from './output.js';
import { dataBlocks, Prompt, type PromptData } from './prompt.js';
import { skill } from './skill-tool.js';
import type { Tool } from './tool.js';

/** How a language model is asked. */
export interface LlmOptions<State extends object = Values> extends Pick<Conversing, 'limits' | 'guards'> {
  /** The name under which later steps find its answer. */
  readonly as?: string;
  /** Role of the model, and how it should answer: a text, a `prompt` with values, or a pure function, whose text is not checked. */
  readonly instruction: string | Prompt | ((state: State, facts: Facts) => string);
  /** Values that the model reads as data: texts of callers, tools and other agents belong here and not into the instruction. */
  readonly data?: PromptData;
  /** What it is asked. Default: the messages of the task. */
  readonly input?: StepInput<State>;
  /**
   * What it knows of before: the messages of the task (`task`), also the last 20 ended tasks of the context that the agent has answered
   * (`context`; `{ of: 'all' }`: those of all skills), or only what it is asked (`none`). Default: `context` for a task of a caller; `task`
   * for a called agent and in a branch; `none` with an `input`.
   */
  readonly history?: 'none' | 'task' | 'context' | Partial<WantedConversation>;
  /** The role of the model, or a pure function that names it. Default: the model of the service. */
  readonly model?: string | ((state: State, facts: Facts) => string);
  /** What the model may call. Default: nothing. */
  readonly tools?: readonly Tool[];
  /** Agents that the model may call (their classes or ids), or hand the conversation to (`handsTo`). */
  readonly agents?: readonly (SkillRef | Tool)[];
  /** The contract of the answer: a class, JSON Schema, or `choice('a', 'b')`. Default: a text. */
  readonly output?: Output;
  /** `answer` (default): the text of the last step of a flow is streamed; `none`: it is only a value. */
  readonly show?: 'answer' | 'none';
  /** Runs instead if the model gives no usable answer; `facts.failure` says why. */
  readonly fallback?: Step<State>;
}

/**
 * Asks a language model, which may call tools and other agents before it answers. Each round and each call is journaled by its place: a
 * crash, a wait or a deploy repeats none.
 */
export function llm<State extends object = Values>(given: LlmOptions<State> | string): Step<State> {
  const options: LlmOptions<State> = typeof given === 'string' ? { instruction: given } : given;
  const { as, fallback } = options;
  return {
    name: 'llm',
    ...named(as),
    run: async (frame) => {
      try {
        return await answered(options, frame);
      } catch (error) {
        if (fallback === undefined || !(error instanceof SkillFailure)) throw error;
        return take(fallback, { ...frame, facts: { ...frame.facts, failure: error.message } });
      }
    },
    check: (scope) => checkLlm(options, scope),
  };
}

/** What a model may call, as a list of tools. */
export function toolsOf<State extends object>({
  tools = [],
  agents = [],
}: Pick<LlmOptions<State>, 'tools' | 'agents'>): readonly Tool[] {
  return [...tools, ...agents.map((one) => (isRef(one) ? skill(one) : one))];
}

async function answered<State extends object>(options: LlmOptions<State>, frame: Frame): Promise<Outcome> {
  const { as, limits, guards, output, show = 'answer' } = options;
  const isStreamed = frame.isResult && as === undefined && output === undefined && show === 'answer';
  const model = modelFor(options, frame);
  const events = converse(frame.context, model, {
    ...{
      instruction: instructionIn(options, frame),
      tools: toolsOf(options),
      messages: await messagesIn(options, frame, model.reads),
    },
    ...{ key: `${keyOf(frame, 'llm')} `, isStreamed },
    ...(limits === undefined ? {} : { limits }),
    ...(guards === undefined ? {} : { guards }),
    ...(output === undefined ? {} : { output }),
  });
  for (;;) {
    const next = await events.next();
    if (next.done !== true) frame.emit(next.value);
    else return isStreamed ? NOTHING : { value: valueOf(next.value, output), artifacts: [] };
  }
}

function valueOf({ value, text }: Conversed, output: Output | undefined): unknown {
  return output === undefined ? text : value;
}

/** @throws NotSupported where there is no model, as in a sandbox */
function modelFor<State extends object>({ model: role }: LlmOptions<State>, frame: Frame): Model {
  const { model, kind = 'this context' } = hostOf(frame.context);
  if (!(model instanceof Model)) throw new NotSupported('a language model', kind);
  const name = typeof role === 'function' ? asked(role, frame) : role;
  return name === undefined ? model : model.named(name);
}

function instructionIn<State extends object>({ instruction }: LlmOptions<State>, frame: Frame): string {
  if (instruction instanceof Prompt) return instruction.read(frame);
  return typeof instruction === 'function' ? asked(instruction, frame) : instruction;
}

async function messagesIn<State extends object>(
  options: LlmOptions<State>,
  frame: Frame,
  reads: readonly string[],
): Promise<readonly ModelMessage[]> {
  const { input, data } = options;
  const { history, messages } = frame.context;
  const before = await earlier(options, frame);
  const own = messagesOf(before === undefined ? messages : history, reads);
  const asked: readonly ModelMessage[] = input === undefined ? own : [inputMessage(inputOf(input, frame), reads)];
  const said = [...(before ?? []), ...asked];
  if (data === undefined) return said;
  const blocks = dataBlocks(data, frame);
  const last = said.at(-1);
  return last?.role === 'user'
    ? [...said.slice(0, -1), { ...last, text: `${last.text}\n\n${blocks}` }]
    : [...said, { role: 'user', text: blocks }];
}

const LAST = 20;

/** The conversation before the task; undefined: not even the earlier messages of the task. A repeated run sees the same. */
async function earlier<State extends object>(
  { input, history }: LlmOptions<State>,
  frame: Frame,
): Promise<readonly ModelMessage[] | undefined> {
  const usual = input === undefined ? (frame.branch === '' ? 'context' : 'task') : 'none';
  const wanted = history ?? usual;
  if (wanted === 'none') return undefined;
  const { conversation } = hostOf(frame.context);
  if (wanted === 'task' || conversation === undefined) return [];
  const { last = LAST, of = 'agent' } = wanted === 'context' ? {} : wanted;
  return frame.context.step(`${keyOf(frame, 'llm')} history`, async () => [...(await conversation({ last, of }))]);
}

function inputMessage(input: CallInput, reads: readonly string[]): ModelMessage {
  const [message = { role: 'user', text: '' }] = messagesOf([{ role: 'ROLE_USER', parts: partsOf(input) }], reads);
  return message;
}

function partsOf(input: CallInput): readonly Part[] {
  if (typeof input === 'string') return [{ text: input }];
  return Array.isArray(input) ? (input as readonly Part[]) : [{ data: input }];
}

/** Tools of one model at most: vendors take few more, and a model chooses badly among many. */
const MAX_TOOLS = 64;

function checkLlm<State extends object>(options: LlmOptions<State>, scope: Scope): Known {
  const { instruction, data = {}, input, model, limits = {}, output, fallback } = options;
  if (instruction instanceof Prompt) instruction.check(scope);
  else if (typeof instruction === 'string' && instruction.trim() === '') scope.fault('the model has no instruction');
  for (const source of Object.values(data)) source.check(scope);
  if (input !== undefined) checkInput(input, { skillId: 'the model', schema: undefined }, scope);
  if (typeof model === 'string') checkRole(model, scope);
  for (const fault of limitFaults(limits)) scope.fault(fault);
  checkTools(toolsOf(options), scope);
  if (fallback !== undefined) checkStep(fallback, scope, { isOptional: true });
  const origin = 'the answer of the model';
  if (fallback !== undefined) return { origin };
  return { schema: output === undefined ? { type: 'string' } : valueSchema(output), origin };
}

function checkRole(role: string, scope: Scope): void {
  const { roles } = scope.catalog;
  if (roles !== undefined && !roles.includes(role))
    scope.fault(`there is no model "${role}": there is ${roles.join(', ')}`);
}

function checkTools(tools: readonly Tool[], scope: Scope): void {
  for (const one of tools) one.check(scope);
  if (tools.length > MAX_TOOLS) scope.fault(`the model has more than ${String(MAX_TOOLS)} tools`);
  const names = offeredBy(tools, scope.catalog).map(({ tool }) => tool.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) scope.fault(`the model has the tool "${twice}" twice`);
}

function isRef(one: SkillRef | Tool): one is SkillRef {
  return typeof one === 'string' || typeof one === 'function';
}
