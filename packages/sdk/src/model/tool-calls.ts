import canonicalize from 'canonicalize';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { CallFailed } from '../skill/calls/call.js';
import type { SkillContext } from '../skill/skill.js';
import { ToolFailed } from '../skill/tools/skill-tool.js';
import { Guarded, type Guards } from './guard.js';
import { LoopStopped, type LoopLimits } from './loop-limits.js';
import type { ModelMessage, ToolCall } from './model.port.js';
import { READ_RESULT, shortResult } from './tool-results.js';
import type { OfferedTool } from './tool.js';
import { runBound, type ToolBinding } from './tool-binding.js';
import { ToolError } from './tool-error.js';

/** Wrong calls that are told to the model; the next one stops it. */
const MAX_MISTAKES = 2;
/** Bounds of the arguments of a call: characters as JSON, and levels. */
const MAX_ARGUMENTS = 262_144;
const MAX_LEVELS = 64;

/** What the model reads of a call. */
interface Told {
  readonly text: string;
  readonly isMistake?: boolean;
}

/** A call of a reply, and where it is: its number names its step or child task. */
interface PlacedCall {
  readonly call: ToolCall;
  readonly key: string;
  /** As it was bound when the reply came; absent for a tool that there was not. */
  readonly bound: ToolBinding | undefined;
}

interface CallSources {
  readonly context: SkillContext;
  readonly guards: Guards;
  readonly limits: Required<LoopLimits>;
  readonly given: readonly OfferedTool[];
}

/** The calls of tools in one conversation: makes them within its limits, and gives their results to the model. */
export class ToolCalls {
  private made = 0;
  private mistakes = 0;
  private hasLong = false;
  /** Results of calls, by tool and arguments, and how often each was asked for. */
  private readonly known = new Map<string, { count: number; told: Told }>();

  private readonly context: SkillContext;
  private readonly guards: Guards;
  private readonly limits: Required<LoopLimits>;
  private readonly given: readonly OfferedTool[];

  constructor({ context, guards, limits, given }: CallSources) {
    this.context = context;
    this.guards = guards;
    this.limits = limits;
    this.given = given;
  }

  /** The tools that the model is offered now: also the reading of a long result, once there is one. */
  get tools(): readonly OfferedTool[] {
    return this.hasLong ? [...this.given, READ_RESULT] : this.given;
  }

  /** Whether no further call may be made. */
  get areSpent(): boolean {
    return this.made >= this.limits.calls;
  }

  /** How a call is made by the present tools. */
  bind({ name }: ToolCall): ToolBinding | undefined {
    return this.tools.find(({ tool }) => tool.name === name)?.bound;
  }

  /**
   * Makes the calls of a reply, and returns their results in the order of the calls.
   * @param bound how they are made: the present tools may be others
   * @param key begins their names
   */
  async answer(
    calls: readonly ToolCall[],
    bound: readonly (ToolBinding | undefined)[],
    key: string,
  ): Promise<readonly ModelMessage[]> {
    const placed = calls.map((call, at) => ({ call, key: `${key}.${String(at + 1)} ${call.name}`, bound: bound[at] }));
    const told = new Map<PlacedCall, Told>();
    const open = placed.filter((one) => {
      const refused = this.refusal(one);
      if (refused !== undefined) told.set(one, refused);
      return refused === undefined;
    });
    const [handOver, ...others] = open.filter((one) => one.bound?.kind === 'hand-over');
    for (const one of others) told.set(one, { text: 'It was not made: of one answer, only the first hand-over is.' });
    const called = open.filter((one) => one.bound?.kind !== 'hand-over');
    for (let at = 0; at < called.length; at += this.limits.atOnce) {
      const batch = called.slice(at, at + this.limits.atOnce);
      const results = await Promise.all(batch.map((one) => this.run(one)));
      for (const [index, one] of batch.entries()) told.set(one, results[index] ?? { text: '' });
    }
    // The conversation is handed over when all other work of the answer is done.
    if (handOver !== undefined) told.set(handOver, await this.run(handOver));
    this.mistakes += [...told.values()].filter(({ isMistake }) => isMistake === true).length;
    if (this.mistakes > MAX_MISTAKES)
      throw new LoopStopped('mistakes', 'The model calls its tools wrongly, again and again.');
    return placed.map((one) => {
      const { id: callId, name } = one.call;
      return { role: 'tool', callId, name, text: told.get(one)?.text ?? '' };
    });
  }

  /** What the model is told in place of a result; undefined: the call is made. */
  private refusal({ call, bound }: PlacedCall): Told | undefined {
    const { name, arguments: given } = call;
    if (bound === undefined) return { text: `There is no tool "${name}".`, isMistake: true };
    if (!isObject(given)) return { text: 'The arguments must be a JSON object.', isMistake: true };
    if (!isWithin(given)) return { text: 'The arguments are too large.', isMistake: true };
    const { repeat, calls } = this.limits;
    const known = this.known.get(idOf(name, given));
    if (known !== undefined) {
      known.count += 1;
      if (known.count > repeat)
        throw new LoopStopped('repeat', `The model calls "${name}" again and again with the same arguments.`);
      if (known.count === repeat)
        return { ...known.told, text: `You have made this call before, with this result: ${known.told.text}` };
    }
    if (this.made >= calls) return { text: 'It was not made: no further call of a tool is possible.' };
    this.made += 1;
    if (known === undefined) this.known.set(idOf(name, given), { count: 1, told: { text: '' } });
    return undefined;
  }

  private async run({ call, key, bound }: PlacedCall): Promise<Told> {
    const { name, arguments: given } = call;
    if (bound === undefined || !isObject(given)) return { text: '' };
    const work = this.tools.find(({ tool }) => tool.name === name)?.work;
    const told = await this.told(async () => {
      const allowed = await this.guards.checked('beforeTool', { name, arguments: given }, key);
      const result = await runBound(bound, this.context, { name, given: allowed.arguments, key, work });
      return (await this.guards.checked('afterTool', { name, text: result }, key)).text;
    });
    const { text, isLong } = await shortResult(this.context, { ...told, key, mostChars: this.limits.resultChars });
    this.hasLong ||= isLong;
    const known = this.known.get(idOf(name, given));
    const shown = { ...told, text };
    if (known !== undefined) known.told = shown;
    return shown;
  }

  /** The model reads why a tool has no result, and may choose another way. */
  private async told(work: () => Promise<string>): Promise<Told> {
    try {
      return { text: await work() };
    } catch (error) {
      if (error instanceof Guarded) return { text: `The tool was not allowed: ${error.message}` };
      if (error instanceof ToolError)
        return { text: `The tool has no result: ${error.message}`, isMistake: error.isMistake };
      if (error instanceof CallFailed)
        return { text: `The tool has no result: ${error.message}`, isMistake: error.why === 'schema' };
      if (error instanceof ToolFailed)
        return { text: `The tool has no result: ${error.message}`, isMistake: error.why === 'bad-arguments' };
      throw error;
    }
  }
}

/** Calls with ids of their own: some models give none, or one id to several calls. */
export function withIds(calls: readonly ToolCall[], round: number): readonly ToolCall[] {
  const isGood = calls.every(({ id }) => id !== '') && new Set(calls.map(({ id }) => id)).size === calls.length;
  return isGood ? calls : calls.map((call, at) => ({ ...call, id: `call-${String(round)}-${String(at + 1)}` }));
}

function idOf(name: string, given: JsonObject): string {
  return `${name} ${canonicalize(given) ?? ''}`;
}

function isWithin(given: JsonObject): boolean {
  let level: readonly unknown[] = [given];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) return false;
    level = level.flatMap(inner);
  }
  return JSON.stringify(given).length <= MAX_ARGUMENTS;
}

function inner(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
