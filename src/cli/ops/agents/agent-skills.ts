import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { loadConfig } from '../../../main/app.environment.js';
import { printableJson, printableLine } from '@parley/protocol/json/printable.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { RemoteAgent } from '../../../remote-agents/directory/agent-file.js';
import { cardNow } from '../../../remote-agents/directory/card-resolver.js';
import { definitionIn } from '../../../remote-agents/directory/exposed-skill.js';
import { GuardedHttp } from '../../../remote-agents/directory/guarded-http.js';
import { GuardedClient } from '../../../outbound/guarded-client.js';
import { schemaFaultLines } from '@parley/sdk/skill/schema/schema-fault.js';
import { hidesText } from '@parley/protocol/json/hidden-text.js';
import { listedAgent } from './agent-keys.js';
import { OperatorError } from '../operator-error.js';
import { type Output, table } from '../output.js';

interface Found {
  readonly agent: RemoteAgent;
  readonly card: AgentCard;
}

/**
 * The present skills of an agent, compared with the file: `pinned`, `differs`, `no definition`, `not exposed`, `gone`.
 * @throws OperatorError
 */
export async function showAgentSkills(name: string): Promise<Output> {
  const { agent, card } = await found(name);
  const ids = [...new Set([...agent.exposed.map(({ remoteId }) => remoteId), ...card.skills.map(({ id }) => id)])];
  const skills = ids.map((skill) => ({ skill, state: stateOf(agent, card, skill), here: idHere(agent, skill) }));
  return {
    json: { agent: name, skills },
    text: table(
      ['skill', 'state', 'id here'],
      skills.map((one) => Object.values(one)),
    ),
  };
}

/**
 * The exposed skills by the present card; `write` stores them in the file. @throws OperatorError for texts with
 * invisible characters
 */
export async function pinAgentSkills(
  name: string,
  wished: readonly string[],
  { write = false }: { readonly write?: boolean },
): Promise<Output> {
  const { agent, card } = await found(name);
  const ids = wished.length > 0 ? wished : agent.exposed.map(({ remoteId }) => remoteId);
  const skills = ids.map((skill) => ({ skill, definition: pinnable(card, skill) }));
  if (write) writeDefinitions(name, skills);
  const shown = skills.map(({ skill, definition }) =>
    [printableLine(skill), printableJson(definition, 2), ...schemaFaultLines(definition)].join('\n'),
  );
  return { json: { agent: name, skills, written: write }, text: shown.join('\n\n') };
}

function pinnable(card: AgentCard, skill: string): JsonObject {
  const definition = definitionIn(card, skill);
  if (definition === undefined) throw new OperatorError(`The card of the agent has no skill ${skill}.`);
  if (hidesText(definition))
    throw new OperatorError(`The description of ${skill} has characters that people cannot see: it is not pinned.`);
  return definition;
}

function stateOf({ exposed }: RemoteAgent, card: AgentCard, skill: string): string {
  const listed = exposed.find(({ remoteId }) => remoteId === skill);
  if (listed === undefined) return 'not exposed';
  const now = definitionIn(card, skill);
  if (now === undefined) return 'gone';
  if (listed.definition === undefined) return 'no definition';
  return isDeepStrictEqual({ ...now }, { ...listed.definition }) ? 'pinned' : 'differs';
}

function idHere({ exposed }: RemoteAgent, skill: string): string {
  return exposed.find(({ remoteId }) => remoteId === skill)?.id ?? '';
}

function writeDefinitions(agent: string, skills: readonly { skill: string; definition: JsonObject }[]): void {
  const file = loadConfig().AGENTS_FILE ?? '';
  // `readAgentsFile` has validated it.
  const content = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    { expose?: Record<string, Record<string, unknown>> }
  >;
  const expose = { ...content[agent]?.expose };
  for (const { skill, definition } of skills) expose[skill] = { ...expose[skill], definition };
  content[agent] = { ...content[agent], expose };
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

/** Reads the present card. @throws OperatorError */
async function found(name: string): Promise<Found> {
  const { agent, allow } = listedAgent(name);
  const egress = new GuardedClient({ ports: [443], allowHttp: false, allow });
  try {
    return { agent, card: await cardNow(agent, new GuardedHttp(egress)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(printableLine(`${name}: ${reason}.`), { cause: error });
  } finally {
    await egress.close();
  }
}
