import { Agent, type AgentOptions, FlowAgent } from '../agent/agent.js';
import type { AnyStep } from '../agent/step.js';
import { objectSchemaOf } from '../skill/contract/object-schema.js';
import type { Contract, DtoClass } from '../skill/skill.js';
import type { DeclaredTools } from '../skill/tools/skill-tool.js';
import { llm, type LlmOptions, toolsOf } from './llm.js';
import { Choice, type Output } from './output.js';

/** The card entry of an agent that is made as a value. */
interface CardEntry<Input extends object> extends Omit<
  AgentOptions,
  'name' | 'tags' | 'input' | 'output' | 'tools' | 'agents'
> {
  /** Its name for people. Default: made of the id. */
  readonly name?: string;
  /** Keywords of the card. Default: `agent`. */
  readonly tags?: readonly string[];
  /** The contract of its input: callers, and flows that call its class, are checked by it. */
  readonly input?: DtoClass<Input>;
}

/** An agent whose work a language model does. */
export interface ModelAgent<Input extends object> extends CardEntry<Input>, Omit<LlmOptions, 'as' | 'show' | 'input'> {
  readonly flow?: undefined;
}

/** An agent whose work is a flow. */
export interface AgentOfFlow<Input extends object> extends CardEntry<Input> {
  readonly flow: AnyStep;
  readonly output?: Contract;
  /** Tools of MCP servers that its steps call. */
  readonly tools?: DeclaredTools;
}

/** A class of an agent whose input the compiler knows. */
export type AgentClass<Input> = (new () => FlowAgent) & { readonly takes?: Input };

/** What an agent is and does, without a class. */
type Spec<Input extends object> = ModelAgent<Input> | AgentOfFlow<Input>;

/**
 * Makes an agent: a language model answers by its `instruction`, with `tools` and other `agents`; or a `flow` does the work. A pack exports
 * it as any skill, and flows call it by its class.
 */
export function agent<Input extends object = object>(spec: Spec<Input>): AgentClass<Input> {
  const { id, name = titleOf(id), tags = ['agent'] } = spec;
  const { flow, card } = spec.flow === undefined ? modelled(spec) : flowing(spec);
  class MadeAgent extends FlowAgent {
    readonly flow = flow;
  }
  Object.defineProperty(MadeAgent, 'name', { value: `${name.replaceAll(/\W/g, '')}Agent` });
  Agent({ ...card, id, name, tags })(MadeAgent);
  return MadeAgent;
}

interface Made {
  readonly flow: AnyStep;
  readonly card: Omit<AgentOptions, 'id' | 'name' | 'tags'>;
}

const EITHER = ['application/json', 'text/plain'];

function flowing<Input extends object>({ flow, ...card }: AgentOfFlow<Input>): Made {
  return { flow, card: { ...inputModesOf(card), outputModes: EITHER, ...card } };
}

function modelled<Input extends object>(spec: ModelAgent<Input>): Made {
  const { input: _input, ...asked } = spec;
  const { instruction: _i, data: _d, model: _m, limits: _l, fallback: _f, history: _h, guards: _g, ...rest } = spec;
  const { output, tools: _tools, agents: _agents, flow: _flow, ...card } = rest;
  const contract = output === undefined ? undefined : contractOf(output);
  const declared = declaredBy(spec);
  return {
    flow: llm(asked),
    card: {
      ...inputModesOf(card),
      outputModes: [contract === undefined ? 'text/plain' : 'application/json'],
      ...card,
      ...(contract === undefined ? {} : { output: contract }),
      ...(declared === undefined ? {} : { tools: declared }),
    },
  };
}

function inputModesOf({ input }: { readonly input?: Contract }): Pick<AgentOptions, 'inputModes'> {
  return input === undefined ? {} : { inputModes: EITHER };
}

function contractOf(output: Output): Contract | undefined {
  if (output instanceof Choice) return undefined;
  return typeof output === 'function' ? output : objectSchemaOf(output);
}

/** The tools of MCP servers among the tools of the model, by their servers. */
function declaredBy<Input extends object>(spec: ModelAgent<Input>): DeclaredTools | undefined {
  const all = toolsOf(spec).flatMap(({ declares = {} }) => Object.entries(declares));
  if (all.length === 0) return undefined;
  const byServer: Record<string, string[]> = {};
  for (const [server, names] of all) (byServer[server] ??= []).push(...names);
  return byServer;
}

function titleOf(id: string): string {
  const words = id.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
