import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { isDebug } from '@parley/protocol/extension/context-extension.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { HostedContext } from '@parley/sdk/skill/context/hosted-context.js';
import type { SkillHost, TurnFacts } from '@parley/sdk/skill/context/skill-host.js';
import { skillFetch } from '@parley/sdk/skill/requests/skill-fetch.js';
import type { StoredScope } from '@parley/sdk/skill/shared/scope.js';
import { fleetingState, operatorState } from '@parley/sdk/skill/shared/scoped-state.js';
import { simulatedTools } from '@parley/sdk/skill/simulation/simulated-tools.js';
import type { SharedState, SkillContext, SkillLog, SkillOptions } from '@parley/sdk/skill/skill.js';
import { skillTools } from '@parley/sdk/skill/tools/skill-tools.js';
import { permittedState } from '../../../policy/permitted-state.js';
import { Policies } from '../../../policy/policies.js';
import type { Principal } from '../../../auth/principal.js';
import { SkillRegistry } from '../../../skill/skill.registry.js';
import { clientAccount } from '../../../tasks/record/new-task.js';
import { type Accounts, accountsOf } from '../../../tasks/record/task-record.js';
import { ContextStore, OF_USER, simulatedOwner } from '../../../tasks/values/context.store.js';
import { OperatorValues } from '../../../tasks/values/operator-values.store.js';
import type { Call } from '../../call.js';
import { senderOf } from '../sender.js';

/** The call that a direct skill answers. */
export interface DirectCall {
  readonly contextId: string;
  readonly signal: AbortSignal;
  readonly deadline: Date;
  readonly skill: SkillOptions;
}

/**
 * The hosts of direct answers. There is no task: the ids are those of the call, what is stored is stored with the context, and the
 * values of the task, its tree and its turn end with the call.
 */
@Injectable()
export class DirectHosts {
  private readonly log = new Logger(DirectHosts.name);

  constructor(
    private readonly contexts: ContextStore,
    private readonly operators: OperatorValues,
    private readonly skills: SkillRegistry,
    private readonly policies: Policies,
  ) {}

  contextOf(request: SendMessageRequest, call: Call, direct: DirectCall): SkillContext {
    return new HostedContext(this.hostOf(request, call, direct));
  }

  private hostOf(request: SendMessageRequest, call: Call, direct: DirectCall): SkillHost {
    const { signal, skill } = direct;
    const facts = factsOf(request, call, direct);
    const { idempotencyKey, isSimulated, principal } = facts;
    const { requests, tools: servers } = this.skills;
    const say: SkillLog['info'] = (message, fields) => {
      this.log.log({ ...fields, event: 'skill.said', skill: skill.id, contextId: direct.contextId, message });
    };
    return {
      kind: 'a direct skill, which has no task',
      ...{ facts, signal },
      senders: () => Promise.resolve([principal]),
      state: fleetingState(),
      shared: this.sharedOf(facts, call, skill.id),
      log: { info: say, warn: say },
      fetch: skillFetch(requests, { idempotencyKey, signal: () => signal }),
      model: this.skills.model,
      catalog: this.skills.catalog,
      step: (_name, work) => work(),
      sleep: (ms) => pause(ms, undefined, { signal }),
      now: () => Promise.resolve(Date.now()),
      random: () => Promise.resolve(Math.random()),
      tools: (calling) =>
        skillTools({
          ...calling,
          servers: isSimulated === true ? simulatedTools(servers) : servers,
          declared: skill.tools,
          refusal: (id) => this.refusalOf(principal, id),
        }),
    };
  }

  private sharedOf({ contextId, isSimulated, principal }: TurnFacts, call: Call, skill: string): SkillHost['shared'] {
    const owner = isSimulated === true ? simulatedOwner(call.owner) : call.owner;
    const accounts = accountsOfCaller(call.principal);
    const permitted = (state: SharedState): SharedState =>
      permittedState(this.policies, { ...principal, skill }, state);
    const stored = (id: string): SharedState => permitted(this.contexts.of({ owner, accounts, contextId: id }));
    const states: Readonly<Record<StoredScope, SharedState>> = {
      tree: fleetingState(),
      temp: fleetingState(),
      context: stored(contextId),
      user: stored(OF_USER),
      app: permitted(operatorState((name) => this.operators.get(principal.tenant, name))),
    };
    return (scope) => states[scope];
  }

  private refusalOf(caller: TurnFacts['principal'], id: string): string | undefined {
    return this.policies.current.mayCall(caller, id).isAllowed
      ? undefined
      : `the policy does not let the caller use "${id}"`;
  }
}

function factsOf(
  { message, metadata = {}, configuration }: SendMessageRequest,
  { principal, owner }: Call,
  { contextId, deadline }: DirectCall,
): TurnFacts {
  const messages = [{ ...message, contextId }];
  return {
    ...{ taskId: '', rootId: '', contextId, turn: 1, attempt: 1, deadline, messages, history: messages, metadata },
    idempotencyKey: `${owner}:${message.messageId}`,
    parentHistory: [],
    acceptedOutputModes: configuration?.acceptedOutputModes ?? [],
    principal: senderOf(principal),
    isSimulated: isDebug(message) ? true : undefined,
  };
}

/** The accounts charged for context state; none without authentication. */
function accountsOfCaller({ tenant, client, method }: Principal): Accounts {
  return accountsOf(method === 'local' ? { tenant } : { tenant, client: clientAccount(tenant, client) });
}
