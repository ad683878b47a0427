// The part of `npm run demo` on agents: a tree of tasks that reads, reviews and writes, without a language model.
import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';

/** The metadata of an event that is the progress of a child task. */
const SUBTASK = 'urn:parley:extension:subtask:1';

const TEXT = new URL('text.txt', import.meta.url);

const PDF = new URL('invoice.pdf', import.meta.url);

/** Streams three agents and prints their events. */
export async function showAgents(client, expect) {
  await showTexts(client, expect);
  await showPayment(client, expect);
}

async function showTexts(client, expect) {
  const text = await readFile(TEXT, 'utf8');
  const half = text.indexOf('\n\n', text.length / 2);

  console.log('  briefing: two texts and an address that is not there, summarized at the same time and merged');
  const sources = ['https://reports.invalid/gone.txt'];
  const data = { texts: [text.slice(0, half), text.slice(half)], sources };
  const briefing = await streamed(client, { parts: [{ data }], metadata: { skillId: 'briefing' } });
  expect(briefing.state === 'TASK_STATE_COMPLETED', `the briefing is complete, not ${briefing.state}`);
  expect(briefing.data?.failed?.length === 1, 'the source that failed is named');
  expect(briefing.text.includes('[2]'), 'the briefing cites its sources');
  console.log(briefing.text.replace(/^/gm, '    '));

  console.log('\n  polish_summary: drafts of at most 60 words, reviewed until no rule is broken');
  const polished = await streamed(client, {
    parts: [{ text }, { data: { maxWords: 60 } }],
    metadata: { skillId: 'polish_summary' },
  });
  const { accepted, rounds, words } = polished.data ?? {};
  expect(
    accepted === true && words <= 60,
    `a summary of at most 60 words is accepted, not ${JSON.stringify(polished.data)}`,
  );
  console.log(`    ${String(words)} words after ${String(rounds)} rounds: ${polished.text}`);
}

async function showPayment(client, expect) {
  console.log('\n  pay_invoice: reads, checks, asks, has it approved and writes the payment');
  const pdf = { raw: (await readFile(PDF)).toString('base64'), filename: 'invoice.pdf', mediaType: 'application/pdf' };
  const asked = await streamed(client, { parts: [pdf], metadata: { skillId: 'pay_invoice' } });
  expect(asked.state === 'TASK_STATE_INPUT_REQUIRED', `the account is asked for, not ${asked.state}`);
  const { taskId, contextId } = asked;
  console.log('\n  a person answers: the account');
  const account = { text: 'FR14 2004 1010 0505 0001 3M02 606' };
  const approval = await streamed(client, { parts: [account], taskId, contextId });
  expect(approval.state === 'TASK_STATE_INPUT_REQUIRED', `an approval is asked for, not ${approval.state}`);
  console.log('\n  a person answers: approve');
  const paid = await streamed(client, { parts: [{ text: 'approve' }], taskId, contextId });
  expect(paid.state === 'TASK_STATE_COMPLETED', `the payment is written, not ${paid.state}`);
  expect(paid.data?.amount === '10374.00', `10374.00 is paid, not ${paid.data?.amount}`);
  expect(
    Buffer.from(paid.raw, 'base64').toString().includes('<Document xmlns='),
    'the file is an instruction for a bank',
  );
  console.log(`    ${paid.data.amount} ${paid.data.currency} on ${paid.data.executionDate}, ${paid.data.endToEndId}`);
}

function stateOf({ state }) {
  return state === 'TASK_STATE_WORKING' ? '…' : state.replace('TASK_STATE_', '').toLowerCase();
}

async function streamed(client, message) {
  const seen = { text: '' };
  const request = { message: { messageId: randomUUID(), role: 'ROLE_USER', ...message } };
  for await (const event of client.sendMessageStream(SendMessageRequest.fromJSON(request))) {
    const { task, statusUpdate, artifactUpdate } = StreamResponse.toJSON(event);
    seen.taskId ??= task?.id;
    seen.contextId ??= task?.contextId;
    for (const part of artifactUpdate?.artifact.parts ?? []) {
      if (part.text !== undefined) seen.text += part.text;
      seen.data ??= part.data;
      seen.raw ??= part.raw;
    }
    const status = (task ?? statusUpdate)?.status;
    if (status === undefined) continue;
    seen.state = status.state;
    const said = (status.message?.parts ?? []).map((part) => part.text ?? '').join('');
    const child = statusUpdate?.metadata?.[SUBTASK];
    // A child reports its work and its end on the stream of its parent, which is worked on meanwhile.
    const who = child === undefined ? status.state.padEnd(26) : `  ${child.path} ${stateOf(child)}`;
    console.log(`    ${who} ${said.replace(/\n+/g, '\n    '.padEnd(32))}`.trimEnd());
  }
  return seen;
}
