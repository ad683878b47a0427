import type { Policies } from '../../policy/policies.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { CallSpec } from '@parley/sdk/skill/calls/call.js';
import { conditionFault, versionFault } from '@parley/sdk/skill/calls/conditions.js';
import { inputFor } from '@parley/sdk/skill/calls/fallback.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { SkillRegistry } from '../../skill/skill.registry.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import { childIdOf } from '../../tasks/task.keys.js';
import type { NewChild } from '../../tasks/tree/tree.store.js';
import { callRefusal } from './call-rights.js';
import { contextOfChild, passedHistory, withMetadata } from './child-context.js';
import { type OpenCall, partsOf, refused, transfersTo } from './open-call.js';

/** The dependencies for creating a child. */
export interface ChildSources {
  readonly run: ClaimedRun;
  readonly skills: SkillRegistry;
  readonly policies: Policies;
  /** The span of the run; undefined when it is not recorded. */
  readonly span: () => ClaimedRun['trace'] | undefined;
}

/** The wait that a call belongs to. */
export interface CallPlace {
  readonly group: string;
  readonly until: number | undefined;
  /** Whether an earlier run has stored its child: it was allowed then, and what has changed since refuses later calls. */
  readonly isStored?: boolean;
}

/** Checks a call before any of it is stored (O-05, I13). */
export async function openCall(
  sources: ChildSources,
  spec: CallSpec,
  { group, until, isStored = false }: CallPlace,
): Promise<OpenCall> {
  const { key, skillId, detach, success, progress, undo, isTransfer, accepts, history } = spec;
  const { run, skills, policies } = sources;
  const options = skills.runnable(skillId)?.options ?? (isStored ? nameOnly(skillId) : undefined);
  if (options === undefined) return refused('unknown-skill', `there is no skill "${skillId}"`);
  const refusal = isStored ? undefined : refusalOf(sources, spec, options);
  if (refusal !== undefined) return refusal;
  const input = inputFor(options, spec);
  const transfers = isTransfer === true ? transfersTo(run, skillId, input) : run.transfers;
  if (typeof transfers === 'string') return refused('budget', transfers);
  const passed = passedHistory(run, history);
  if (passed === undefined) return refused('budget', 'the history that it is to get is too long');
  const depth = (run.traits.tree?.depth ?? 0) + 1;
  const id = childIdOf(run.taskId, run.turn, key);
  const message: Message = {
    messageId: `${id}:1`,
    role: 'ROLE_USER',
    parts: partsOf(input),
    ...withMetadata(contextOfChild(run, options, policies), passed),
  };
  const violations = isStored ? [] : await skills.inputViolations(skillId, { message });
  if (violations.length > 0) {
    return refused('schema', violations.map(({ field, description }) => `${field}: ${description}`).join('; '));
  }
  const root = run.traits.tree?.root ?? run.taskId;
  const shown = progress === undefined ? {} : { progress };
  const tree = { parent: run.taskId, root, depth, group, key, path: `${run.path}/${key}`, transfers, ...shown };
  const { maxAttempts, concurrency, version } = options;
  const routing = { skillId, maxAttempts, isLimited: concurrency !== undefined, version };
  const kind = { isDetached: detach === true, isTransfer: isTransfer === true };
  const asked = accepts === undefined ? {} : { acceptedOutputModes: accepts };
  const child = { ...inherited(sources), id, message, routing, tree, ...kind, ...asked };
  const terms = success === undefined ? {} : { terms: { skill: options, success } };
  return { child, until, ...(undo === undefined ? {} : { undo }), ...terms };
}

/** A skill that this process no longer has. */
function nameOnly(id: string): SkillOptions {
  return { id, name: id, description: id, tags: [] };
}

/** The reason for refusing a call before its input is checked. */
function refusalOf(
  { run, skills, policies }: ChildSources,
  { success, version }: CallSpec,
  child: SkillOptions,
): OpenCall | undefined {
  const parent = skills.runnable(run.skillId)?.options;
  const forbidden = callRefusal({ run, parent, child }, policies);
  if (forbidden !== undefined) return refused('scope', forbidden);
  const unknown = versionFault(child, version) ?? (success && conditionFault(child, success));
  return unknown === undefined ? undefined : refused('schema', unknown);
}

/** The attributes that a child inherits: caller, rights and accounts, context, trace. */
function inherited({
  run,
  span,
}: ChildSources): Omit<NewChild, 'id' | 'message' | 'routing' | 'tree' | 'isDetached' | 'isTransfer'> {
  const { owner, tenant, client, subject, contextId, dialect, scopes, traits, trace, hops, isSimulated } = run;
  return {
    // The calling run is the parent span of the child's runs, if it is recorded.
    ...{ owner, tenant, client, contextId, trace: { ...trace, ...span() }, dialect, requestHash: '' },
    ...(subject === '' ? {} : { subject }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(hops === 0 ? {} : { hops }),
    ...(isSimulated ? { isSimulated, metadata: { [SIMULATED]: true } } : {}),
    isCounted: traits.client !== undefined,
  };
}
