import type { JsonObject } from '@parley/protocol/model/json.js';
import { checkTarget } from '../agent/flow/call-step.js';
import type { CallOptions } from '../skill/calls/call.js';
import { skillSchemaOf } from '../skill/contract/skill-schema.js';
import { idOf, type SkillOptions, type SkillRef } from '../skill/skill.js';
import type { Catalog } from '../skill/start-check.js';
import { approvalOf, type OfferedTool, TEXT_ONLY, type Tool, type ToolApproval, toolName } from './tool.js';

/** How a skill is offered to a model. */
export interface SkillToolOptions {
  /** Name of the tool for the model; default: the id, as far as models take it. */
  readonly as?: string;
  /** Description by which the model chooses it. Default: that of the skill's card. */
  readonly description?: string;
  /** Asks before a call. Default: asked for where the effects of the skill are irreversible; `false`: it need not be. */
  readonly approval?: ToolApproval;
  /** Media types that the result is wanted in. */
  readonly accepts?: CallOptions['accepts'];
  /** History of this task that the skill gets (`shared('parent')`): nothing by default. */
  readonly history?: CallOptions['history'];
}

/** How a conversation is handed over. */
export interface HandOverOptions extends Pick<SkillToolOptions, 'as' | 'description'> {
  /** `return` (default): the model has the last word. `stay`: the result of the other agent is that of the flow, which ends. */
  readonly after?: 'return' | 'stay';
}

/**
 * A skill of the service, by its id or class, or `remote(…)` of another service, as a tool: each call is a child task, whose contract
 * checks the arguments.
 */
export function skill(target: SkillRef, options: SkillToolOptions = {}): Tool {
  const id = idOf(target);
  return {
    offers: (catalog) => [calledTool(found(catalog, id), options)],
    check: (scope) => {
      const known = scope.target(target);
      if (known?.direct === true) scope.fault(`"${id}" is direct: it has no task that could be called`);
      // A call with irreversible effects is approved, or the author has said that it need not be.
      else if (known !== undefined) checkTarget(known, true, scope);
    },
  };
}

/** A skill that the model may hand the conversation to: the caller's next messages go to it until it ends. */
export function handsTo(target: SkillRef, options: HandOverOptions = {}): Tool {
  const id = idOf(target);
  return {
    offers: (catalog) => [handOver(found(catalog, id), options)],
    check: (scope) => {
      const known = scope.target(target);
      if (known?.direct === true) scope.fault(`"${id}" is direct: it has no task that could be called`);
      else if (known !== undefined) checkTarget(known, false, scope);
    },
  };
}

/** All skills of the service but these, as tools that are called; with `handOver`, as tools that the conversation is handed to. */
export function allSkills({
  except = [],
  handOver: handsOver = false,
}: { readonly except?: readonly SkillRef[]; readonly handOver?: boolean } = {}): Tool {
  const left = new Set(except.map(idOf));
  return {
    offers: ({ skills }) =>
      skills
        .filter(({ id, direct }) => direct !== true && !left.has(id))
        .map((one) =>
          handsOver && one.effects !== 'irreversible' ? handOver(one, { as: one.id }) : calledTool(one, {}),
        ),
    check: () => undefined,
  };
}

function found({ find }: Catalog, id: string): SkillOptions {
  // A skill may have gone since the start of a service of another version: the call says so to the model.
  return find(id) ?? { id, name: id, description: id, tags: [] };
}

function calledTool(one: SkillOptions, { approval, accepts, history, ...named }: SkillToolOptions): OfferedTool {
  const { id, effects } = one;
  const asked = approvalOf(approval, effects);
  const options = {
    ...(asked === undefined ? {} : { approval: asked }),
    ...(accepts === undefined ? {} : { accepts }),
    ...(history === undefined ? {} : { history }),
  };
  const { parameters, ...described } = shownAs(one, named);
  const bound = { kind: 'skill', id, isText: parameters === undefined, options } as const;
  return { tool: { ...described, parameters: parameters ?? TEXT_ONLY }, bound };
}

function handOver(
  one: SkillOptions,
  { after = 'return', as = `transfer_to_${one.id}`, ...named }: HandOverOptions,
): OfferedTool {
  const { parameters, ...described } = shownAs(one, { ...named, as });
  const bound = { kind: 'hand-over', id: one.id, isText: parameters === undefined, after } as const;
  return { tool: { ...described, parameters: parameters ?? TEXT_ONLY }, bound };
}

/** Describes a skill to the model by its card. */
function shownAs(
  one: SkillOptions,
  { as = one.id, description = one.description }: Pick<SkillToolOptions, 'as' | 'description'>,
): Omit<OfferedTool['tool'], 'parameters'> & { readonly parameters?: JsonObject } {
  const { examples = [], tags } = one;
  const { input } = skillSchemaOf(one);
  const shown = { name: toolName(as), description, examples: [...examples, ...tags] };
  return input === undefined ? shown : { ...shown, parameters: input };
}
