// npm run demo: starts the service on a free port and calls it as an outside agent would, with the official A2A client.
// DEMO_VARIABLES has further variables of the service, as JSON.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { CancelTaskRequest, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { showAgents } from './demo/agents.mjs';
import { showInvoice } from './demo/invoice.mjs';
import { ServiceProcess } from '../test/kit/app/service-process.mjs';

const TEXT = new URL('demo/text.txt', import.meta.url);

const dataDir = await mkdtemp(join(tmpdir(), 'parley-demo-'));
const service = new ServiceProcess({ DATA_DIR: dataDir, ...JSON.parse(process.env.DEMO_VARIABLES ?? '{}') });
try {
  const address = await service.ready();
  await demo(address);
  console.log('\nDone.');
} catch (error) {
  console.error('\nThe demo failed.', error);
  process.exitCode = 1;
} finally {
  await service.stop('SIGINT');
  await rm(dataDir, { recursive: true, force: true });
}

async function demo(address) {
  const card = await (await globalThis.fetch(`${address}/.well-known/agent-card.json`)).json();
  heading(`The agent card of ${address}`);
  console.log(`  ${card.name} ${card.version}: ${card.description}`);
  for (const skill of card.skills) console.log(`  - ${skill.id}: ${skill.description}`);

  const client = await new ClientFactory().createFromUrl(address);
  await summarize(client);
  await cancelCountdown(client);
  heading('Agents: trees of tasks that read, review and write');
  await showAgents(client, expect);
  heading('An invoice read, and its payment approved by a human');
  await showInvoice(client, expect);
}

async function summarize(client) {
  heading('summarize_text, streamed over scripts/demo/text.txt');
  const text = await readFile(TEXT, 'utf8');
  const seen = [];
  let summary = '';
  for await (const event of client.sendMessageStream(message('summarize_text', text, { length: 'short' }))) {
    const { task, statusUpdate, artifactUpdate } = StreamResponse.toJSON(event);
    const status = (task ?? statusUpdate)?.status;
    if (status !== undefined) {
      seen.push(status.state);
      console.log(`  ${status.state.padEnd(24)} ${textOf(status.message)}`);
    }
    if (artifactUpdate !== undefined) {
      summary += textOf(artifactUpdate.artifact);
      console.log(`  artifact "${artifactUpdate.artifact.artifactId}"`);
    }
  }
  expect(seen[0] === 'TASK_STATE_SUBMITTED', `the first event is the submitted task, not ${seen[0]}`);
  expect(seen.includes('TASK_STATE_WORKING'), 'the task was worked on');
  expect(seen.at(-1) === 'TASK_STATE_COMPLETED', `the last state is completed, not ${seen.at(-1)}`);
  expect(summary.length > 100 && summary.length < text.length / 2, 'the summary is a real one');
  console.log(`\n${summary.replace(/^/gm, '    ')}`);
}

async function cancelCountdown(client) {
  heading('countdown from 30, canceled after its second number');
  let taskId;
  let numbers = 0;
  let last;
  for await (const event of client.sendMessageStream(message('countdown', '30'))) {
    const { task, statusUpdate, artifactUpdate } = StreamResponse.toJSON(event);
    taskId ??= task?.id;
    last = (task ?? statusUpdate)?.status.state ?? last;
    if (artifactUpdate === undefined) continue;
    numbers += 1;
    console.log(`  ${textOf(artifactUpdate.artifact).trim()}`);
    if (numbers === 2) {
      const canceled = Task.toJSON(await client.cancelTask(CancelTaskRequest.fromJSON({ id: taskId })));
      console.log(`  CancelTask answers ${canceled.status.state}`);
      expect(canceled.status.state === 'TASK_STATE_CANCELED', 'the cancel is answered with a canceled task');
    }
  }
  expect(last === 'TASK_STATE_CANCELED', `the stream ends with the canceled task, not ${last}`);
  expect(numbers < 5, 'the skill has stopped counting');
  console.log('  The stream has ended: TASK_STATE_CANCELED');
}

function message(skillId, text, metadata = {}) {
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], metadata: { skillId, ...metadata } },
  });
}

function textOf(content) {
  return (content?.parts ?? []).map((part) => part.text ?? '').join('');
}

function expect(isSo, what) {
  if (!isSo) throw new Error(`Expected that ${what}`);
}

function heading(text) {
  console.log(`\n${text}\n`);
}
