import { type CallNames, callNamesOf } from '@parley/protocol/extension/context-extension.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SkillArtifacts } from '../artifacts/skill-artifacts.js';
import type { SkillCalls } from '../calls/call.js';
import { skillCalls } from '../calls/skill-calls.js';
import { turnContent } from '../content/turn-content.js';
import { type Publish, skillPublish } from '../publication.js';
import { skillAsk } from '../questions/ask.js';
import type { Ask } from '../questions/question.js';
import { checkName, type StoredScope } from '../shared/scope.js';
import { broughtState } from '../shared/scoped-state.js';
import { NO_SIMULATED_FETCH } from '../simulation/simulated-requests.js';
import type { SharedState, SkillContext, SkillState } from '../skill.js';
import { assertOutsideSteps, inStep } from '../step-scope.js';
import type { SkillTools } from '../tools/skill-tool.js';
import { HOST, NotSupported, runOf, type SkillHost } from './skill-host.js';

/**
 * The context of a skill, over the host of its run. Its members are getters: a run uses few of them, and a skill may take functions off
 * the context.
 */
export class HostedContext implements SkillContext {
  readonly [HOST]: SkillHost;
  // Read and checked by the registered skill, which knows its contract.
  readonly input = undefined;
  readonly taskId: string;
  readonly rootId: string;
  readonly contextId: string;
  readonly turn: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly messages: SkillContext['messages'];
  readonly history: SkillContext['history'];
  readonly metadata: JsonObject;
  readonly acceptedOutputModes: readonly string[];
  readonly principal: SkillContext['principal'];
  readonly deadline?: Date;
  readonly isSimulated?: true;
  /** Contexts that are derived from this one share it. */
  private readonly made: { content?: ReturnType<typeof turnContent>; counting?: Counting } = {};

  constructor(host: SkillHost) {
    const { facts } = host;
    this[HOST] = host;
    this.taskId = facts.taskId;
    this.rootId = facts.rootId;
    this.contextId = facts.contextId;
    this.turn = facts.turn;
    this.attempt = facts.attempt;
    this.idempotencyKey = facts.idempotencyKey;
    this.messages = facts.messages;
    this.history = facts.history;
    this.metadata = facts.metadata;
    this.acceptedOutputModes = facts.acceptedOutputModes;
    this.principal = facts.principal;
    if (facts.deadline !== undefined) this.deadline = facts.deadline;
    if (facts.isSimulated !== undefined) this.isSimulated = facts.isSimulated;
  }

  get text(): string {
    return this.content.text;
  }

  get data(): SkillContext['data'] {
    return this.content.data;
  }

  get files(): SkillContext['files'] {
    return this.content.files;
  }

  get caller(): string | undefined {
    return this.names.caller;
  }

  get traceId(): string | undefined {
    return this.names.traceId;
  }

  get requestId(): string | undefined {
    return this.names.requestId;
  }

  get permissions(): readonly string[] | undefined {
    return this.names.permissions;
  }

  get senders(): SkillContext['senders'] {
    return this[HOST].senders;
  }

  get signal(): AbortSignal {
    return this[HOST].signal;
  }

  get log(): SkillContext['log'] {
    return this[HOST].log;
  }

  get state(): SkillState {
    return outsideSteps('state', this[HOST].state);
  }

  get shared(): SkillContext['shared'] {
    const host = this[HOST];
    return (scope = 'tree') => {
      // The contract of the skill says which values of its caller it gets.
      if (scope === 'caller') return broughtState(scope, {});
      if (scope === 'parent') return broughtState(scope, { history: host.facts.parentHistory });
      return sharedOutsideSteps(scope, host.shared(scope));
    };
  }

  get artifacts(): SkillArtifacts {
    const { artifacts, kind } = this[HOST];
    return {
      put: (name, content) => supported('artifacts.put()', kind, artifacts?.put, (put) => put(name, content)),
      get: (reference) => supported('artifacts.get()', kind, artifacts?.get, (get) => get(reference)),
      references: () => supported('artifacts.references()', kind, artifacts?.references, (references) => references()),
    };
  }

  /** No request of a simulated run is sent, whatever its host. */
  get fetch(): SkillContext['fetch'] {
    return this.isSimulated === true ? NO_SIMULATED_FETCH : this[HOST].fetch;
  }

  get step(): SkillContext['step'] {
    const host = this[HOST];
    return (name, work, options = {}) => host.step(name, () => inStep(name, work), options);
  }

  get sleep(): SkillContext['sleep'] {
    const host = this[HOST];
    return async (ms) => {
      assertOutsideSteps('sleep()');
      await host.sleep(ms);
    };
  }

  get waitFor(): SkillContext['waitFor'] {
    const { waitFor, kind } = this[HOST];
    return (options) => supported('waitFor()', kind, waitFor, (wait) => wait(options));
  }

  get now(): SkillContext['now'] {
    return this[HOST].now;
  }

  get random(): SkillContext['random'] {
    return this[HOST].random;
  }

  get ask(): Ask {
    const { ask, kind } = this[HOST];
    return skillAsk(ask ?? (() => Promise.reject(new NotSupported('ask()', kind))));
  }

  get publish(): Publish {
    return this.counting.publish;
  }

  get tools(): SkillTools {
    return this.counting.tools;
  }

  get call(): SkillCalls['call'] {
    return this.counting.calls.call;
  }

  get transfer(): SkillCalls['transfer'] {
    return this.counting.calls.transfer;
  }

  get all(): SkillCalls['all'] {
    return this.counting.calls.all;
  }

  get map(): SkillCalls['map'] {
    return this.counting.calls.map;
  }

  get first(): SkillCalls['first'] {
    return this.counting.calls.first;
  }

  private get content(): ReturnType<typeof turnContent> {
    return (this.made.content ??= turnContent(this.messages));
  }

  private get names(): CallNames {
    return callNamesOf(this.history[0]);
  }

  private get counting(): Counting {
    const run = runOf(this);
    if (this.made.counting?.run !== run) this.made.counting = new Counting(run, this[HOST], this);
    return this.made.counting;
  }
}

/** The members of one run that count: they name calls of skills and tools by their order, and number events. */
class Counting {
  private calling: SkillCalls | undefined;
  private tooling: SkillTools | undefined;
  private publishing: Publish | undefined;

  constructor(
    readonly run: object,
    private readonly host: SkillHost,
    private readonly context: SkillContext,
  ) {}

  get calls(): SkillCalls {
    const { calls, kind } = this.host;
    const none = (): Promise<never> => Promise.reject(new NotSupported('call()', kind));
    return (this.calling ??= skillCalls(calls ?? none, this.context.ask));
  }

  get tools(): SkillTools {
    const { taskId, idempotencyKey, principal, step, ask } = this.context;
    const { call } = this.calls;
    const signal = (): AbortSignal => this.host.signal;
    const run = { taskId, idempotencyKey, tenant: principal.tenant, signal, step, ask, call };
    return (this.tooling ??= this.host.tools(run));
  }

  get publish(): Publish {
    const { publish, kind } = this.host;
    const none = (): never => {
      throw new NotSupported('publish()', kind);
    };
    return (this.publishing ??= skillPublish(publish ?? none));
  }
}

/** Uses a member of a host outside of steps. @throws NotSupported where the host has none */
async function supported<Member, Result>(
  name: string,
  kind: string,
  member: Member | undefined,
  use: (member: Member) => Promise<Result>,
): Promise<Result> {
  assertOutsideSteps(name);
  if (member === undefined) throw new NotSupported(name, kind);
  return use(member);
}

function outsideSteps(name: string, state: SkillState, check?: (key: string) => void): SkillState {
  return {
    get: async (key) => {
      assertOutsideSteps(`${name}.get()`);
      check?.(key);
      return state.get(key);
    },
    set: async (key, value) => {
      assertOutsideSteps(`${name}.set()`);
      check?.(key);
      await state.set(key, value);
    },
  };
}

function sharedOutsideSteps(scope: StoredScope, state: SharedState): SharedState {
  const check = (key: string): void => checkName(scope, key);
  const name = scope === 'tree' ? 'shared()' : `shared('${scope}')`;
  return {
    ...outsideSteps(name, state, check),
    setIfAbsent: async (key, value) => {
      assertOutsideSteps(`${name}.setIfAbsent()`);
      check(key);
      return state.setIfAbsent(key, value);
    },
  };
}
