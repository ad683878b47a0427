import type { OperationName } from '@parley/protocol/model/operations.js';
import type { Principal } from './principal.js';

/** The scope required by each operation. An operation without a row does not compile, so none is open by accident. */
export const SCOPE_OF: Readonly<Record<OperationName, string>> = {
  SendMessage: 'a2a:message.send',
  SendStreamingMessage: 'a2a:message.send',
  GetTask: 'a2a:tasks.read',
  ListTasks: 'a2a:tasks.read',
  SubscribeToTask: 'a2a:tasks.read',
  CancelTask: 'a2a:tasks.cancel',
  CreateTaskPushNotificationConfig: 'a2a:push.write',
  DeleteTaskPushNotificationConfig: 'a2a:push.write',
  GetTaskPushNotificationConfig: 'a2a:push.read',
  ListTaskPushNotificationConfigs: 'a2a:push.read',
  GetExtendedAgentCard: 'a2a:card.extended',
};

/** The scope of operators for webhooks of the caller's whole tenant; required by no operation of the protocol. */
export const OPERATE_WEBHOOKS = 'a2a:webhooks.operate';

/** Scopes of the console's API, which several features share. None implies another: an operator without `a2a:tasks.read` sees no content. */
export const CONSOLE_SCOPES = {
  observe: 'a2a:tasks.observe',
  operate: 'a2a:tasks.operate',
  answer: 'a2a:approvals.answer',
  platform: 'a2a:platform.observe',
  tryAgents: 'a2a:agents.try',
} as const;

/** The scope of callers that may have their tasks simulated, as named in seed 2. */
export const DEBUG_SCOPE = 'agent.debug';

/** Descriptions of the scopes that every service has. */
const OWN: Readonly<Record<string, string>> = {
  'a2a:message.send': 'Send messages and start tasks',
  'a2a:tasks.read': 'Read, list and follow your tasks',
  'a2a:tasks.cancel': 'Cancel your tasks',
  'a2a:push.write': 'Register and remove webhooks of your tasks',
  'a2a:push.read': 'Read the webhooks of your tasks',
  'a2a:card.extended': 'Read the extended agent card',
  [OPERATE_WEBHOOKS]: 'Read and redrive dead-lettered webhooks of the tenant',
  [DEBUG_SCOPE]: 'Have tasks simulated: no remote or irreversible call is made',
};

/** Descriptions of all scopes, for callers. @param more those of features */
export function scopeDescriptions(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { ...OWN, ...more };
}

/** The scope of one skill, for skills that require their own (A2A-AUTHZ-03). */
export function skillScope(skillId: string): string {
  return `skill:${skillId}`;
}

/** The first of the needed scopes that the caller lacks, whole names compared; undefined when it has all. */
export function missingScope(principal: Principal, needed: readonly string[]): string | undefined {
  const { scopes } = principal;
  if (scopes === 'all') return undefined;
  return needed.find((scope) => !scopes.includes(scope));
}

/** All of the needed scopes that the caller lacks. */
export function missingScopes({ scopes }: Principal, needed: readonly string[]): readonly string[] {
  return scopes === 'all' ? [] : needed.filter((scope) => !scopes.includes(scope));
}
