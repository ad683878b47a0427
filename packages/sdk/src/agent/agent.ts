import { jsonSchemaOf } from '../skill/contract/json-schema.js';
import type { SkillEvent } from '../skill/events.js';
import {
  idOf,
  Skill,
  type SkillClass,
  type SkillContext,
  type SkillHandler,
  type SkillOptions,
  type SkillRef,
} from '../skill/skill.js';
import { type Catalog, checkAtStart } from '../skill/start-check.js';
import { misfits } from './check/schema-fit.js';
import { type Known, Scope } from './check/scope.js';
import { runFlow } from './flow/flow-run.js';
import type { AnyStep } from './step.js';

/** The card entry of an agent, and the rules that it runs by. An agent is a skill that runs other skills. */
export interface AgentOptions extends Omit<SkillOptions, 'direct' | 'sandboxed'> {
  /** Skills that an agent without a flow calls: the service does not start without them. */
  readonly agents?: readonly SkillRef[];
}

/** An agent whose work is a flow: steps that are checked when the service starts. */
export abstract class FlowAgent implements SkillHandler {
  /** Its steps. They read `input`, `text` and `files` of the message, and the values of earlier steps by their names. */
  abstract readonly flow: AnyStep;

  run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    return runFlow(this.flow, context);
  }
}

/** Characters of a description that a model which chooses agents can be expected to read. */
const MAX_DESCRIBED = 1_000;

/** Declares a class as an agent. A pack of SKILLS must export it. Its calls are checked when the service starts. */
export function Agent(options: AgentOptions): (target: SkillClass) => void {
  return (target) => {
    const { agents = [], ...skill } = options;
    Skill(skill)(target);
    checkAtStart(target, (handler, catalog) => agentFaults(skill, { handler, agents }, catalog));
  };
}

/** Faults of an agent in this catalog of skills; one line each. */
function agentFaults(
  self: SkillOptions,
  { handler, agents }: { readonly handler: SkillHandler; readonly agents: readonly SkillRef[] },
  catalog: Catalog,
): readonly string[] {
  const missing = agents.map(idOf).filter((id) => catalog.find(id) === undefined);
  return [
    ...describedFaults(self, catalog),
    ...missing.map((id) => `its list of agents has "${id}", and there is no such skill`),
    ...(handler instanceof FlowAgent ? flowFaults(self, handler.flow, catalog) : []),
  ];
}

/** The description must distinguish the agent from all others: models choose by it. */
function describedFaults({ id, description }: SkillOptions, { skills }: Catalog): readonly string[] {
  const twin = skills.find((other) => other.id !== id && other.description.trim() === description.trim());
  return [
    ...(description.trim() === '' ? ['it has no description: callers cannot know when to call it'] : []),
    ...(description.length > MAX_DESCRIBED
      ? [`its description is longer than ${String(MAX_DESCRIBED)} characters`]
      : []),
    ...(twin === undefined ? [] : [`its description is also that of "${twin.id}"`]),
  ];
}

function flowFaults(self: SkillOptions, flow: AnyStep, catalog: Catalog): readonly string[] {
  const faults: string[] = [];
  const input: Known = {
    origin: 'the input of the agent',
    ...(self.input === undefined ? {} : { schema: jsonSchemaOf(self.input) }),
  };
  const message: Known = { ...input, origin: 'the message' };
  const values = new Map<string, Known>([
    ['input', input],
    ['text', { schema: { type: 'string' }, origin: 'the text of the message' }],
    ['files', { schema: { type: 'array' }, origin: 'the files of the message' }],
  ]);
  const scope = new Scope(self, catalog, faults, { path: '', values, last: message, message });
  const result = flow.check(scope);
  if (self.output !== undefined && result.ends !== true) {
    for (const { path, text } of misfits(result.schema, jsonSchemaOf(self.output))) {
      scope.fault(`${result.origin} is the result and does not fit the output of "${self.id}": "${path}" ${text}`);
    }
  }
  return faults;
}
