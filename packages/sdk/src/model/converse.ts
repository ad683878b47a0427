import type { JsonObject } from '@parley/protocol/model/json.js';
import { CallFailed } from '../skill/calls/call.js';
import type { SkillEvent } from '../skill/events.js';
import { misfits } from '../skill/questions/answer-schema.js';
import { SkillFailure } from '../skill/skill-failure.js';
import type { SkillContext } from '../skill/skill.js';
import type { Model, RoundRequest } from './model.js';
import type { ModelMessage, ModelReply, ToolCall } from './model.port.js';
import type { Tool } from './tool.js';

export interface Conversing {
  /** Role of the model, and how it should answer. */
  readonly instruction?: string;
  readonly tools: readonly Tool[];
  /** Default: the messages of the task so far. */
  readonly messages?: readonly ModelMessage[];
  /** The artifact of the answer; default `answer`. */
  readonly artifact?: string;
  /** Most calls of the model; default 12. */
  readonly maxModelCalls?: number;
  /** Most calls of tools; default 20. */
  readonly maxToolCalls?: number;
  /** JSON Schema that the answer must fit. It is not streamed; a misfit goes back to the model once. */
  readonly output?: JsonObject;
  /** Begins the names of its calls of tools: for a turn that converses more than once. */
  readonly key?: string;
}

const DEFAULT_MODEL_CALLS = 12;
const DEFAULT_TOOL_CALLS = 20;
/** A wrong tool call is reported to the model once. */
const MAX_MISTAKES = 2;
/** So is an answer that does not fit. */
const MAX_MISFITS = 1;

/**
 * Lets a model answer with tools: asks it, runs the tools that it calls, gives it their results, until it answers without a call. Its
 * texts are chunks of the answer. Each call of the model and of a tool is journaled: after a crash or a wait none is repeated.
 */
export async function* converse(
  context: SkillContext,
  model: Model,
  options: Conversing,
): AsyncGenerator<SkillEvent, ModelReply, void> {
  const { tools, maxModelCalls = DEFAULT_MODEL_CALLS, maxToolCalls = DEFAULT_TOOL_CALLS, output, key = '' } = options;
  const messages = [...openingOf(context, options)];
  const budget = { toolCalls: maxToolCalls, mistakes: MAX_MISTAKES, misfits: MAX_MISFITS };
  for (let calls = 1; calls <= maxModelCalls; calls += 1) {
    const place = `${key}round ${String(calls)}`;
    const request = { messages: [...messages], tools: tools.map(({ tool }) => tool), place };
    const reply = yield* replyTo(context, model, { request, options });
    if (reply.toolCalls.length === 0) {
      const fault = output === undefined ? '' : misfitOf(reply, output);
      if (fault === '') return reply;
      budget.misfits -= 1;
      if (budget.misfits < 0) throw new SkillFailure(`The answer of the model does not fit its contract: ${fault}.`);
      messages.push({ role: 'assistant', text: reply.text });
      messages.push({
        role: 'user',
        text: `Your answer does not fit: ${fault}. Answer with JSON that fits, and nothing else.`,
      });
      continue;
    }
    budget.toolCalls -= reply.toolCalls.length;
    if (budget.toolCalls < 0)
      throw new SkillFailure(`The model wants more than ${String(maxToolCalls)} calls of tools.`);
    messages.push({ role: 'assistant', text: reply.text, toolCalls: reply.toolCalls });
    const results = reply.toolCalls.map((call, at) =>
      used(context, { tools, call, key: `${key}tool ${String(calls)}.${String(at + 1)}` }),
    );
    for (const { isMistake, ...message } of await Promise.all(results)) {
      budget.mistakes -= isMistake ? 1 : 0;
      messages.push({ role: 'tool', ...message });
    }
    if (budget.mistakes < 0) throw new SkillFailure('The model calls its tools wrongly, again and again.');
  }
  throw new SkillFailure(`The model has no answer after ${String(maxModelCalls)} calls.`);
}

/** Streamed, unless it must fit a contract first. */
async function* replyTo(
  context: SkillContext,
  model: Model,
  { request, options }: { readonly request: RoundRequest; readonly options: Conversing },
): AsyncGenerator<SkillEvent, ModelReply, void> {
  const { artifact, output } = options;
  if (output !== undefined) return model.ask(context, { ...request, responseSchema: output });
  return yield* model.stream(context, { ...request, ...(artifact === undefined ? {} : { artifact }) });
}

/** The value of an answer that must fit a contract; undefined where it is no JSON. Models like to put it into a code block. */
export function jsonOf({ text }: ModelReply): unknown {
  const [, inBlock = text] = /^\s*```(?:json)?\n([^]*)\n```\s*$/.exec(text) ?? [];
  try {
    return JSON.parse(inBlock) as unknown;
  } catch {
    return undefined;
  }
}

/** Why an answer does not fit; '' where it does. */
function misfitOf(reply: ModelReply, output: JsonObject): string {
  const value = jsonOf(reply);
  if (value === undefined) return 'it is no JSON';
  return misfits(output, value)
    .map(({ field, description }) => `${field} ${description}`)
    .join('; ');
}

function openingOf({ history }: SkillContext, { instruction, messages }: Conversing): readonly ModelMessage[] {
  const said =
    messages ??
    history.map(({ role, parts }) => ({
      role: role === 'ROLE_AGENT' ? ('assistant' as const) : ('user' as const),
      text: parts
        .map((part) => ('text' in part ? part.text : 'data' in part ? JSON.stringify(part.data) : ''))
        .join('\n'),
    }));
  return instruction === undefined ? said : [{ role: 'system', text: instruction }, ...said];
}

interface ToolUse {
  readonly tools: readonly Tool[];
  readonly call: ToolCall;
  readonly key: string;
}

interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isMistake: boolean;
}

/** Returns the error of a failed tool to the model, which may choose another step. */
async function used(context: SkillContext, { tools, call, key }: ToolUse): Promise<ToolResult> {
  const { id: callId, name } = call;
  const tool = tools.find(({ tool: { name: known } }) => known === name);
  const given = call.arguments;
  if (tool === undefined) return { callId, name, text: `There is no tool "${name}".`, isMistake: true };
  if (!isObject(given)) return { callId, name, text: 'The arguments must be a JSON object.', isMistake: true };
  try {
    return { callId, name, text: await tool.run(context, given, `${key} ${name}`), isMistake: false };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { callId, name, text: `The tool has no result: ${error.message}`, isMistake: error.why === 'schema' };
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
