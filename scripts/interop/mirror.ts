import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlainHttp } from '@parley/client/http/plain-http.js';
import { cardOf, fetchCard } from '@parley/client/card/fetch-card.js';
import { definitionIn } from '../../src/remote-agents/directory/exposed-skill.js';
import type { DrivenMessage, SdkDriver } from '../../test/interop/driver.js';
import { parleyDriver } from '../../test/interop/parley-driver.js';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';

/** The name of the other agent in AGENTS_FILE. */
const OTHER = 'other';
const SKILLS = ['echo', 'countdown', 'approve_payment'];

/** A service whose skills are those of another agent, each task a mirror of a task there. */
export async function startMirror(
  theirs: string,
  allowed: string,
): Promise<{ readonly driver: SdkDriver; readonly stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-interop-mirror-'));
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ [OTHER]: { card: theirs, expose: await exposed(theirs) } }));
  const port = String(await freeLoopbackPort());
  const service = new ServiceProcess({
    ...{ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, DATA_DIR: folder, AUDIT_LOG: '/dev/null' },
    ...{ AGENTS_FILE: file, EGRESS_ALLOW: `${new URL(theirs).host}=127.0.0.1/32!http;${allowed}`, LOG_LEVEL: 'info' },
  });
  const stop = async (): Promise<void> => {
    await service.stop('SIGINT');
    // Its Redis may still write: it ends behind the service.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const driver = await parleyDriver(await service.ready(), 'JSONRPC', '1.0');
    const send = (message: DrivenMessage) => driver.send(renamed(message));
    return { driver: { ...driver, send, stream: (message) => driver.stream(renamed(message)) }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function renamed({ skill, ...message }: DrivenMessage): DrivenMessage {
  return skill === undefined ? message : { ...message, skill: `${OTHER}__${skill}` };
}

/** The skills with their descriptions on the card, as `parley ops agents pin` writes it. */
async function exposed(url: string): Promise<object> {
  const fetched = await fetchCard(new PlainHttp(), url);
  if ('unchanged' in fetched) throw new Error('Nothing was known of the card');
  const { card } = cardOf(fetched.text);
  return Object.fromEntries(SKILLS.map((id) => [id, { definition: definitionIn(card, id) }]));
}
