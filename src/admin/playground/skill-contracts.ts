import { Injectable } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { readAll } from '@parley/client/http/agent-http.js';
import { failedAnswer } from '@parley/client/http/failed-answer.js';
import { invalidAnswer, RemoteError } from '@parley/client/http/remote-errors.js';
import { GuardedHttp } from '../../remote-agents/directory/guarded-http.js';
import type { Principal } from '../../auth/principal.js';
import { SKILL_SCHEMA_EXTENSION } from '@parley/sdk/skill/contract/skill-schema.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import { type AgentReference, originOf, type TriedAgent, TriedAgents } from './tried-agents.js';

/** The input contract of another agent's skill. Its texts come from its publisher: hostile. */
export interface SkillContract {
  /** JSON Schema of its first data part; absent where the agent shows none. */
  readonly input?: JsonObject;
  /** The reason why the card's reference cannot be read. */
  readonly why?: string;
}

const MAX_BYTES = 64 * 1024;
const SCAN = { maxDepth: 32, maxTokens: 10_000 };
const DEADLINES = { headers: 5_000, idle: 5_000, total: 10_000 };

/**
 * Reads contracts of other agents' skills: cards contain them by the extension that this service's card has too, inline
 * or by a URL at one of the origins that the agent is called at. Sends no credential.
 */
@Injectable()
export class SkillContracts {
  constructor(
    private readonly agents: TriedAgents,
    private readonly http: GuardedHttp,
  ) {}

  /** @throws A2AError InvalidParams for an agent that is not visible to the caller */
  async of(caller: Principal, reference: AgentReference, skillId: string): Promise<SkillContract> {
    try {
      const agent = await this.agents.read(caller, reference);
      const entry = entryOf(agent, skillId);
      const contract = typeof entry.schema === 'string' ? await this.fetched(entry.schema, agent) : entry;
      return isJsonObject(contract) && isJsonObject(contract.input) ? { input: contract.input } : {};
    } catch (error) {
      if (error instanceof RemoteError) return { why: error.message };
      throw error;
    }
  }

  private async fetched(url: string, { origins }: TriedAgent): Promise<unknown> {
    if (!origins.has(originOf(url)))
      throw new RemoteError('refused', 'The contract is at another origin than the card');
    const headers = { accept: 'application/json' };
    const answer = await this.http.send({ method: 'GET', url, headers, deadlines: DEADLINES });
    if (answer.status !== 200) throw await failedAnswer(answer);
    const tooLarge = (): RemoteError => invalidAnswer(`The contract has more than ${String(MAX_BYTES)} bytes`);
    try {
      return parseJson(await readAll(answer.body, MAX_BYTES, tooLarge), SCAN);
    } catch (error) {
      if (error instanceof A2AError) throw invalidAnswer(error.message, error);
      throw error;
    }
  }
}

function entryOf({ card }: TriedAgent, skillId: string): JsonObject {
  const extensions: unknown = card.capabilities.extensions;
  const ours = Array.isArray(extensions) ? extensions.filter(isJsonObject) : [];
  const params = ours.find(({ uri }) => uri === SKILL_SCHEMA_EXTENSION)?.params;
  const skills = isJsonObject(params) ? params.skills : undefined;
  const entry = isJsonObject(skills) && Object.hasOwn(skills, skillId) ? skills[skillId] : undefined;
  return isJsonObject(entry) ? entry : {};
}
