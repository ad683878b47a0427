// The part of `npm run demo` on invoices: a PDF in, progress, the typed invoice out, an approval asked and given.
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';

const PDF = new URL('invoice.pdf', import.meta.url);

/** Streams one message and prints its events; returns the last task, state and data seen. */
export async function showInvoice(client, expect) {
  const pdf = { raw: (await readFile(PDF)).toString('base64'), filename: 'invoice.pdf', mediaType: 'application/pdf' };

  console.log('  extract_invoice_data over scripts/demo/invoice.pdf');
  const read = await streamed(client, { parts: [pdf], metadata: { skillId: 'extract_invoice_data' } });
  const { number, seller, totals, currency } = read.data ?? {};
  console.log(`    number  ${number?.value} (${number?.source}, ${number?.confidence})`);
  console.log(`    seller  ${seller?.name?.value} (${seller?.name?.source}, ${seller?.name?.confidence})`);
  console.log(`    to pay  ${totals?.payable?.value} ${currency?.value} (${totals?.payable?.source})`);
  expect(totals?.payable?.value === '10374.00', `10374.00 is to be paid, not ${totals?.payable?.value}`);

  console.log('\n  approve_payment of the same PDF');
  const asked = await streamed(client, { parts: [pdf], metadata: { skillId: 'approve_payment' } });
  expect(asked.state === 'TASK_STATE_INPUT_REQUIRED', `a human is asked, not ${asked.state}`);

  console.log('\n  the human answers: approve');
  const { taskId, contextId } = asked;
  const answer = { data: { decision: 'approve', comment: 'budget 4711' }, mediaType: 'application/json' };
  const decided = await streamed(client, { parts: [answer], taskId, contextId });
  const { decision, by, at, comment } = decided.data ?? {};
  console.log(`    ${decision} by ${by?.subject ?? by?.client} at ${at}: ${comment}`);
  expect(decision === 'approved', `the payment is approved, not ${decision}`);
}

async function streamed(client, message) {
  const seen = {};
  const request = { message: { messageId: randomUUID(), role: 'ROLE_USER', ...message } };
  for await (const event of client.sendMessageStream(SendMessageRequest.fromJSON(request))) {
    const { task, statusUpdate, artifactUpdate } = StreamResponse.toJSON(event);
    seen.taskId ??= task?.id;
    seen.contextId ??= task?.contextId;
    seen.data ??= artifactUpdate?.artifact.parts.find(({ data }) => data !== undefined)?.data;
    const status = (task ?? statusUpdate)?.status;
    if (status === undefined) continue;
    seen.state = status.state;
    const [first = ''] = (status.message?.parts ?? []).map(({ text }) => text ?? '');
    console.log(`    ${status.state.padEnd(26)} ${first.replace(/\n+/g, '\n    '.padEnd(32))}`);
  }
  return seen;
}
