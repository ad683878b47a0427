import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { AgentAuth } from '@parley/client/http/agent-auth.js';
import { AgentClient, type AnswerBounds } from '@parley/client/call/agent-client.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { chooseEndpoint, type EndpointWish } from '@parley/client/call/endpoint.js';
import type { SkillPrincipal } from '@parley/sdk/skill/skill.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import type { Blocks } from '../../blocks/blocks.js';
import type { RemoteAgent } from './agent-file.js';
import type { AgentGate } from './agent-gate.js';
import type { CardResolver } from './card-resolver.js';
import { CallerTokens, operatorAuth } from './outgoing-auth.js';

/** A remote agent that can be called now. */
export interface ReachableAgent {
  readonly agent: RemoteAgent;
  readonly card: AgentCard;
  readonly client: AgentClient;
}

/** Per-call settings of a call to an agent. */
export interface CallTraits {
  /** The caller on whose behalf the agent is called. */
  readonly caller?: SkillPrincipal | undefined;
  readonly wish?: EndpointWish;
  readonly bounds?: AnswerBounds;
  /** Wraps the HTTP client of the call, except for token requests. */
  readonly through?: (http: AgentHttp) => AgentHttp;
}

/** The remote agents of AGENTS_FILE by name; others cannot be called. */
export class AgentDirectory {
  private readonly byName: ReadonlyMap<string, RemoteAgent>;
  private readonly auths = new Map<string, AuthOf>();

  constructor(
    readonly agents: readonly RemoteAgent[],
    private readonly cards: CardResolver,
    private readonly http: AgentHttp,
    private readonly gate: AgentGate,
    private readonly blocks: Pick<Blocks, 'ofAgent'>,
  ) {
    this.byName = new Map(agents.map((agent) => [agent.name, agent]));
  }

  find(name: string): RemoteAgent | undefined {
    return this.byName.get(name);
  }

  /** The card of an agent if this process has called it; else undefined. */
  knownCard(agent: RemoteAgent): AgentCard | undefined {
    return this.cards.known(agent);
  }

  /**
   * Calls an agent if its gate admits the call. Resolves its card first: calls share one request for the card, whose
   * failure counts once and not per call. @throws RemoteError
   */
  async call<T>(
    agent: RemoteAgent,
    call: (reached: ReachableAgent) => Promise<T>,
    traits: CallTraits = {},
  ): Promise<T> {
    const reached = await this.gate.before(agent, () => {
      if (this.blocks.ofAgent(agent.name) === undefined) return this.reach(agent, traits);
      throw new RemoteError('blocked', 'The operator has blocked this agent', { isUnsent: true });
    });
    return this.gate.pass(agent, () => call(reached));
  }

  /**
   * Attaches the agent's credential, which is sent only to the origins of its card and of AGENTS_FILE. @throws
   * RemoteError
   */
  private async reach(agent: RemoteAgent, { caller, wish = {}, bounds, through }: CallTraits): Promise<ReachableAgent> {
    const card = await this.cards.resolve(agent);
    const endpoint = chooseEndpoint(card, wish);
    const http = through?.(this.http) ?? this.http;
    const own = bounds === undefined ? {} : { bounds };
    const client = new AgentClient({ endpoint, http, auth: this.authOf(agent)(caller), ...own });
    return { agent, card, client };
  }

  private authOf(agent: RemoteAgent): AuthOf {
    const known = this.auths.get(agent.name) ?? newAuth(agent, this.http);
    this.auths.set(agent.name, known);
    return known;
  }
}

/** The credential of a caller for one agent. @throws RemoteError if the agent requires a user and the caller is none */
type AuthOf = (caller: SkillPrincipal | undefined) => AgentAuth;

function newAuth({ auth }: RemoteAgent, http: AgentHttp): AuthOf {
  if (auth.type === 'token-exchange') {
    const tokens = new CallerTokens(auth, http);
    return (caller) => tokens.of(caller);
  }
  const shared = operatorAuth(auth, http);
  return () => shared;
}
