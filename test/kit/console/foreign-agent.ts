import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startJsServer } from '../../interop/servers/js.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { definitionIn } from '../../../src/remote-agents/directory/exposed-skill.js';

export interface ForeignAgent {
  readonly url: string;
  /** For a service that shows the agent's skill `echo` to its callers, under the id `their_echo`. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** The official server of JavaScript as an agent that a service calls. */
export async function startForeignAgent(): Promise<ForeignAgent> {
  const { url, stop } = await startJsServer();
  const folder = await mkdtemp(join(tmpdir(), 'parley-foreign-'));
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as AgentCard;
  const expose = { echo: { as: 'their_echo', definition: definitionIn(card, 'echo') } };
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ theirs: { card: url, mode: 'poll', expose } }));
  return {
    url,
    variables: { AGENTS_FILE: file, EGRESS_ALLOW: `${new URL(url).host}=127.0.0.1/32!http` },
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}
