import type { Policies } from '../policy/policies.js';
import type { Message } from '../protocol/message.js';
import type { CallSpec } from '../skill/calls/call.js';
import type { SkillOptions } from '../skill/skill.js';
import type { SkillRegistry } from '../skill/skill.registry.js';
import type { ClaimedRun } from '../task/run.store.js';
import { childIdOf } from '../task/task.keys.js';
import type { NewChild } from '../task/tree.store.js';
import { contextOfChild } from './child-context.js';
import { type OpenCall, partsOf, refused, transfersTo } from './open-call.js';

/** What a child is made of. */
export interface ChildSources {
  readonly run: ClaimedRun;
  readonly skills: SkillRegistry;
  readonly policies: Policies;
}

/** Checks a call before anything of it is stored (O-05, I13). */
export async function openCall(
  sources: ChildSources,
  { key, skillId, input, detach, progress, undo, isTransfer }: CallSpec,
  { group, until }: { readonly group: string; readonly until: number | undefined },
): Promise<OpenCall> {
  const { run, skills, policies } = sources;
  const options = skills.runnable(skillId)?.options;
  if (options === undefined) return refused('unknown-skill', `there is no skill "${skillId}"`);
  const forbidden = forbiddenBy(sources, options);
  if (forbidden !== undefined) return refused('scope', forbidden);
  const transfers = isTransfer === true ? transfersTo(run, skillId, input) : run.transfers;
  if (typeof transfers === 'string') return refused('budget', transfers);
  const depth = (run.traits.tree?.depth ?? 0) + 1;
  const id = childIdOf(run.taskId, run.turn, key);
  const message: Message = {
    messageId: `${id}:1`,
    role: 'ROLE_USER',
    parts: partsOf(input),
    ...contextOfChild(run, options, policies),
  };
  const violations = await skills.inputViolations(skillId, { message });
  if (violations.length > 0) {
    return refused('schema', violations.map(({ field, description }) => `${field}: ${description}`).join('; '));
  }
  const root = run.traits.tree?.root ?? run.taskId;
  const quiet = progress === 'none' ? { isQuiet: true as const } : {};
  const tree = { parent: run.taskId, root, depth, group, key, path: `${run.path}/${key}`, transfers, ...quiet };
  const { maxAttempts, concurrency, version } = options;
  const routing = { skillId, maxAttempts, isLimited: concurrency !== undefined, version };
  const child = {
    ...inherited(run),
    id,
    message,
    routing,
    tree,
    isDetached: detach === true,
    isTransfer: isTransfer === true,
  };
  return { child, until, ...(undo === undefined ? {} : { undo }) };
}

/** Why the caller of the task may not use a skill; undefined where it may (I13). */
function forbiddenBy({ run, policies }: ChildSources, { id, scopes = [] }: SkillOptions): string | undefined {
  const missing = scopes.find((scope) => !run.scopes.includes(scope));
  if (missing !== undefined) return `the caller of the task lacks the scope "${missing}"`;
  const isAllowed = policies.current.mayCall(run, id).isAllowed;
  return isAllowed ? undefined : `the policy does not let the caller of the task use "${id}"`;
}

/** What a child has of its parent: the caller, its rights and accounts, the context, the trace. */
function inherited(
  run: ClaimedRun,
): Omit<NewChild, 'id' | 'message' | 'routing' | 'tree' | 'isDetached' | 'isTransfer'> {
  const { owner, tenant, client, subject, contextId, dialect, scopes, traits, trace, hops } = run;
  return {
    ...{ owner, tenant, client, contextId, trace, dialect, requestHash: '' },
    ...(subject === '' ? {} : { subject }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(hops === 0 ? {} : { hops }),
    isCounted: traits.client !== undefined,
  };
}
