import type { CommandRedis } from '../../platform/redis/connection/connections.js';
import { endpointState, type EndpointState } from '../../platform/breaker/endpoint-state.js';
import { cardOf } from '@parley/client/card/fetch-card.js';
import type { RemoteAgent } from './agent-file.js';
import type { RemoteKeys } from './remote.keys.js';

/** What the service knows of a remote agent, without asking it. Credentials are no part of it. */
export interface SurveyedAgent {
  readonly name: string;
  /** Where its card is. */
  readonly card: string;
  readonly signature: RemoteAgent['signature'];
  /** Its skills that callers see as skills of this service, by their ids here. */
  readonly exposed: readonly string[];
  /** Of the card that was read last; absent where the agent was not called in the last day. */
  readonly known?: {
    readonly name: string;
    readonly version: string;
    readonly skills: readonly { readonly id: string; readonly name: string }[];
    /** ISO 8601: it is read again at the next call after that. */
    readonly freshUntil: string;
  };
  readonly gate: EndpointState;
}

/** Reads what all processes share about the agents of AGENTS_FILE. */
export class AgentSurvey {
  constructor(
    private readonly agents: readonly RemoteAgent[],
    private readonly redis: CommandRedis,
    private readonly keys: RemoteKeys,
  ) {}

  /** All of them, by name. */
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
