import { createHash } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import { NO_AUTH } from '@parley/client/http/agent-auth.js';
import { AgentClient } from '@parley/client/call/agent-client.js';
import { chooseEndpoint, type EndpointWish } from '@parley/client/call/endpoint.js';
import { AgentDirectory, type CallTraits } from '../../remote-agents/directory/agent-directory.js';
import type { RemoteAgent } from '../../remote-agents/directory/agent-file.js';
import { GuardedHttp } from '../../remote-agents/directory/guarded-http.js';
import { ownerOf, type Principal } from '../../auth/principal.js';
import type { RemoteEvent, RemoteTask } from '@parley/protocol/remote/remote-model.js';
import { AgentCall, CALL_BOUNDS, type CallResult, type TriedCall } from './agent-call.js';
import { type Beginner, BegunTasks, type RemoteIds } from './begun-tasks.store.js';
import { PlaygroundOptions } from './playground.options.js';
import { type AgentReference, originOf, TriedAgents } from './tried-agents.js';

type Results = AsyncGenerator<CallResult, void, void>;

/**
 * Calls other agents for people who try them. Agents of AGENTS_FILE are called with the credentials of that file, like
 * skills do, and only for tasks that the person began there; all others without credentials.
 */
@Injectable()
export class AgentCalls {
  constructor(
    private readonly agents: TriedAgents,
    private readonly begun: BegunTasks,
    private readonly http: GuardedHttp,
    @Inject(PlaygroundOptions) private readonly options: PlaygroundOptions,
    @Optional() @Inject(AgentDirectory) private readonly directory?: AgentDirectory,
  ) {}

  /** Opens a call, which is made as its frames are read. @throws A2AError TaskNotFound for a task of another caller */
  async open(caller: Principal, reference: AgentReference, wanted: TriedCall & { readonly wish: EndpointWish }) {
    const { wish } = wanted;
    if (reference.kind !== 'listed') {
      const call = new AgentCall(wanted);
      return { call, frames: call.frames(this.ofOther(call, { caller, reference, wish })) };
    }
    this.agents.requireShown(caller, reference.agent, wanted.metadata?.skillId);
    const beginner = { owner: ownerOf(caller, this.options.ownership), agent: reference.agent.name };
    if (!(await this.begun.has(beginner, idsIn(wanted)))) throw taskNotFound();
    const call = new AgentCall(inOwnName(wanted, beginner));
    return { call, frames: call.frames(this.noting(beginner, this.ofListed(call, reference.agent, { caller, wish }))) };
  }

  /** Holds the agent's gate only until the first answer: a stream would hold it for minutes. */
  private async *ofListed(call: AgentCall, agent: RemoteAgent, own: Pick<CallTraits, 'caller' | 'wish'>): Results {
    const { directory } = this;
    if (directory === undefined) throw new A2AError('UnsupportedOperation', 'There is no AGENTS_FILE');
    const traits = { ...own, bounds: CALL_BOUNDS, through: call.through };
    const opened = await directory.call(
      agent,
      async ({ client }) => {
        const results = call.results(client);
        return { first: await results.next(), results };
      },
      traits,
    );
    if (opened.first.done === true) return;
    yield opened.first.value;
    yield* opened.results;
  }

  private async *ofOther(
    call: AgentCall,
    { caller, reference, wish }: { caller: Principal; reference: AgentReference; wish: EndpointWish },
  ): Results {
    const { card, origins } = await this.agents.read(caller, reference, call.signal);
    const callable = card.supportedInterfaces.filter(({ url }) => origins.has(originOf(url)));
    const endpoint = chooseEndpoint({ ...card, supportedInterfaces: callable }, wish);
    const http = call.through(this.http);
    yield* call.results(new AgentClient({ endpoint, http, auth: NO_AUTH, bounds: CALL_BOUNDS }));
  }

  /** A task is recorded before its caller gets its id. */
  private async *noting(beginner: Beginner, results: Results): Results {
    for await (const result of results) {
      await this.begun.note(beginner, idsOf(result.result));
      yield result;
    }
  }
}

/**
 * A call without claims on behalf of this service, which the agent may trust: its only metadata is the skill, and its
 * message id cannot be that of another caller or of a skill of this service.
 */
function inOwnName({ message, metadata, ...call }: TriedCall, { owner }: Beginner): TriedCall {
  const { skillId } = metadata ?? {};
  const named = skillId === undefined ? {} : { metadata: { skillId } };
  if (message === undefined) return { ...call, ...named };
  const { messageId, metadata: _metadata, extensions: _extensions, ...said } = message;
  const id = createHash('sha256')
    .update(JSON.stringify([owner, messageId]))
    .digest('hex');
  return { ...call, ...named, message: { ...said, messageId: `playground-${id}` } };
}

/** The agent's ids in a call. */
function idsIn({ message, taskId }: TriedCall): RemoteIds {
  const tasks = [taskId, message?.taskId, ...(message?.referenceTaskIds ?? [])];
  return { tasks: tasks.filter(isNamed), contexts: [message?.contextId].filter(isNamed) };
}

/** The agent's ids in an answer. */
function idsOf(result: RemoteEvent | RemoteTask): RemoteIds {
  if ('task' in result) return idsOf(result.task);
  if ('message' in result) {
    const { taskId, contextId } = result.message;
    return { tasks: [taskId].filter(isNamed), contexts: [contextId].filter(isNamed) };
  }
  if ('statusUpdate' in result || 'artifactUpdate' in result) {
    const { taskId, contextId } = 'statusUpdate' in result ? result.statusUpdate : result.artifactUpdate;
    return { tasks: [taskId].filter(isNamed), contexts: [contextId].filter(isNamed) };
  }
  return { tasks: [result.id].filter(isNamed), contexts: [result.contextId].filter(isNamed) };
}

function isNamed(id: string | undefined): id is string {
  return id !== undefined && id !== '';
}
