import type { CommandRedis } from '../../platform/redis/connection/connections.js';
import { endpointState, type EndpointState } from '../../platform/breaker/endpoint-state.js';
import { cardOf } from '@parley/client/card/fetch-card.js';
import type { RemoteAgent } from './agent-file.js';
import type { RemoteKeys } from './remote.keys.js';

/** The stored knowledge about a remote agent, without a request to it and without credentials. */
export interface SurveyedAgent {
  readonly name: string;
  /** URL of its card. */
  readonly card: string;
  readonly signature: RemoteAgent['signature'];
  /** Ids here of its skills that are exposed to callers. */
  readonly exposed: readonly string[];
  /** From the card that was read last; absent if the agent was not called within a day. */
  readonly known?: {
    readonly name: string;
    readonly version: string;
    readonly skills: readonly { readonly id: string; readonly name: string }[];
    /** ISO 8601: the first call after it reads the card again. */
    readonly freshUntil: string;
  };
  readonly gate: EndpointState;
}

/** Reads the shared state of the agents of AGENTS_FILE. */
export class AgentSurvey {
  constructor(
    private readonly agents: readonly RemoteAgent[],
    private readonly redis: CommandRedis,
    private readonly keys: RemoteKeys,
  ) {}

  /** All agents, by name. */
  list(): Promise<readonly SurveyedAgent[]> {
    const sorted = [...this.agents].sort((one, other) => (one.name < other.name ? -1 : 1));
    return Promise.all(sorted.map((agent) => this.look(agent)));
  }

  private async look({ name, card, signature, exposed }: RemoteAgent): Promise<SurveyedAgent> {
    const [text, gate] = await Promise.all([
      this.redis.get(this.keys.card(name)),
      endpointState(this.redis, this.keys.gate(name)),
    ]);
    return { name, card, signature, exposed: exposed.map(({ id }) => id), ...knownOf(text), gate };
  }
}

function knownOf(stored: string | null): Pick<SurveyedAgent, 'known'> {
  if (stored === null) return {};
  const { text, freshUntil } = JSON.parse(stored) as { readonly text: string; readonly freshUntil: number };
  const { name, version, skills } = cardOf(text).card;
  return {
    known: {
      ...{ name, version, freshUntil: new Date(freshUntil).toISOString() },
      skills: skills.map((skill) => ({ id: skill.id, name: skill.name })),
    },
  };
}
