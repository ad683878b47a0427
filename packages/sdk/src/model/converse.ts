import { artifact as whole, type SkillEvent, working } from '../skill/events.js';
import { hostOf } from '../skill/context/skill-host.js';
import type { SkillContext } from '../skill/skill.js';
import { type Catalog, catalogOf } from '../skill/start-check.js';
import { type Guard, Guards } from './guard.js';
import { LOOP_LIMITS, type LoopLimits, LoopStopped } from './loop-limits.js';
import type { Model, RoundReply, RoundRequest } from './model.js';
import { messagesOf } from './messages.js';
import type { ModelMessage, ModelReply } from './model.port.js';
import { answerSchema, AnswerUnfit, type Output, readAnswer } from './output.js';
import { ToolCalls, withIds } from './tool-calls.js';
import type { OfferedTool, Tool } from './tool.js';
import type { ToolBinding } from './tool-binding.js';

/** A conversation of a model with its tools. */
export interface Conversing {
  /** Role of the model, and how it should answer. */
  readonly instruction?: string;
  readonly tools?: readonly Tool[];
  /** Default: the messages of the task so far. */
  readonly messages?: readonly ModelMessage[];
  /** The artifact of the answer; default `answer`. */
  readonly artifact?: string;
  readonly limits?: LoopLimits;
  /** The contract of the answer. It is not streamed; a misfit goes back to the model once. */
  readonly output?: Output;
  /** Whether the text is streamed. Default: unless it must fit a contract. */
  readonly isStreamed?: boolean;
  /** Checks around the model, its tools and its answer. With one that checks texts of the model, nothing is streamed before it. */
  readonly guards?: readonly Guard[];
  /** Begins the names of its rounds and calls: for a turn that converses more than once. */
  readonly key?: string;
}

/** The answer of a conversation. */
export interface Conversed extends ModelReply {
  /** By the contract of the answer; absent without one. */
  readonly value?: unknown;
  /** The model had to answer before it was done: its rounds or calls were used up. */
  readonly isPartial?: true;
}

/** Answers that do not fit, which go back to the model. */
const MAX_MISFITS = 1;
const LAST_WORD = 'You can call no more tools. Answer now with what you know, and say what is missing.';

/**
 * Lets a model answer with tools: asks it, runs the tools that it calls, gives it their results, until it answers without a call. The
 * answer is streamed; text beside a call is progress. Each round and each call is journaled by its place: after a crash, a wait or a
 * deploy none is repeated.
 */
export async function* converse(
  context: SkillContext,
  model: Model,
  options: Conversing,
): AsyncGenerator<SkillEvent, Conversed, void> {
  const { output, key = '' } = options;
  const limits = { ...LOOP_LIMITS, ...options.limits };
  const guards = new Guards(options.guards ?? [], context);
  const given = offeredBy(options.tools ?? [], hostOf(context).catalog);
  const calls = new ToolCalls({ context, guards, limits, given });
  const messages = [...(await guards.checked('beforeAgent', openingOf(context, options, model.reads), `${key}agent`))];
  let misfits = MAX_MISFITS;
  for (let round = 1; round <= limits.rounds; round += 1) {
    const isLast = calls.tools.length > 0 && (calls.areSpent || (round > 1 && round === limits.rounds));
    if (isLast && limits.onLimit === 'fail') break;
    const place = `${key}round ${String(round)}`;
    const asked: readonly ModelMessage[] = isLast ? [...messages, { role: 'user', text: LAST_WORD }] : [...messages];
    const request = requestOf(await guards.checked('beforeModel', asked, place), { place, calls, isLast, output });
    const reply = yield* replyTo(context, model, { request, options, guards });
    if (reply.toolCalls.length > 0 && isLast) break;
    if (reply.toolCalls.length > 0) {
      const toolCalls = withIds(reply.toolCalls, round);
      messages.push({ role: 'assistant', text: reply.text, toolCalls, ...opaqueOf(reply) });
      const bound = boundIn(reply, calls);
      messages.push(...(await calls.answer(toolCalls, bound, `${key}tool ${String(round)}`)));
      continue;
    }
    const answer: Conversed = isLast ? { ...reply, isPartial: true } : reply;
    if (output === undefined) return answer;
    const read = await readAnswer(reply, output);
    if ('value' in read) return { ...answer, value: read.value };
    misfits -= 1;
    if (misfits < 0) throw new AnswerUnfit(`The answer of the model does not fit its contract: ${read.fault}.`);
    messages.push(...toldToRepair(reply, read.fault));
  }
  throw limitReached(limits, calls);
}

interface Asked {
  readonly place: string;
  readonly calls: ToolCalls;
  readonly isLast: boolean;
  readonly output: Output | undefined;
}

function requestOf(messages: readonly ModelMessage[], { place, calls, isLast, output }: Asked): RoundRequest {
  const { tools } = calls;
  return {
    ...{ messages, place, bind: (call) => calls.bind(call) },
    ...(tools.length === 0 ? {} : { tools: tools.map(({ tool }) => tool) }),
    ...(isLast ? { toolChoice: 'none' } : {}),
    ...(output === undefined ? {} : { responseSchema: answerSchema(output) }),
  };
}

/** How the calls of a reply are made: as its round has noted it; journals of older releases have no note. */
function boundIn({ toolCalls, bound }: RoundReply, calls: ToolCalls): readonly (ToolBinding | undefined)[] {
  return toolCalls.map((call, at) => (bound === undefined ? calls.bind(call) : (bound[at] ?? undefined)));
}

/** What the provider wants back of a reply. */
function opaqueOf({ opaque }: ModelReply): Pick<ModelReply, 'opaque'> {
  return opaque === undefined ? {} : { opaque };
}

function toldToRepair(reply: ModelReply, fault: string): readonly ModelMessage[] {
  const told = `Your answer does not fit: ${fault}. Answer with JSON that fits, and nothing else.`;
  return [
    { role: 'assistant', text: reply.text, ...opaqueOf(reply) },
    { role: 'user', text: told },
  ];
}

function limitReached({ rounds, calls: most }: Required<LoopLimits>, calls: ToolCalls): LoopStopped {
  return calls.areSpent
    ? new LoopStopped('calls', `The model wants more than ${String(most)} calls of tools.`)
    : new LoopStopped('rounds', `The model has no answer after ${String(rounds)} calls.`);
}

/** The tools as the model is offered them, in the order of their names: vendors keep what is the same each time. */
export function offeredBy(tools: readonly Tool[], catalog: Catalog = catalogOf([])): readonly OfferedTool[] {
  return tools.flatMap(({ offers }) => offers(catalog)).sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

/** Streamed, unless it must fit a contract first. */
async function* replyTo(
  context: SkillContext,
  model: Model,
  {
    request,
    options,
    guards,
  }: { readonly request: RoundRequest; readonly options: Conversing; readonly guards: Guards },
): AsyncGenerator<SkillEvent, RoundReply, void> {
  const { artifact = 'answer', output, isStreamed = output === undefined } = options;
  if (isStreamed && !guards.holdText) return yield* model.stream(context, { ...request, artifact });
  const reply = await model.ask(context, request);
  const { place = '' } = request;
  const said = await guards.checked('afterModel', reply.text, place);
  const isAnswer = reply.toolCalls.length === 0;
  const text = isAnswer ? await guards.checked('afterAgent', said, place) : said;
  if (isStreamed && text !== '') yield isAnswer ? whole(artifact, text) : working(text);
  return { ...reply, text };
}

function openingOf(
  { history }: SkillContext,
  { instruction, messages }: Conversing,
  reads: readonly string[],
): readonly ModelMessage[] {
  const said = messages ?? messagesOf(history, reads);
  return instruction === undefined ? said : [{ role: 'system', text: instruction }, ...said];
}
