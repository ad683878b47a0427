import type { Command } from 'commander';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { callerCommand, collect, run } from '../context/command-context.js';
import { field } from '../context/output.js';
import { receiverCommand, receiverOf } from './push-config.commands.js';
import { listOf } from '../registry/registry-lines.js';

const ROUTE = 'webhooks/events';

/** `parley webhook events …`: webhooks for published events, which are no part of A2A. */
export function eventWebhookCommands(events: Command): void {
  const create = receiverCommand(events.command('create <url>'))
    .description('subscribes a webhook to published events')
    .requiredOption('--type <type>', 'a type of events, as invoice.approved or invoice.*; repeatable', collect)
    .option('--of-tenant', 'events of all tasks of the tenant, for its operators (default: of your tasks)');
  create.action((url: string) =>
    run(create, async ({ session, flags, output }) => {
      const { type, ofTenant } = flags;
      const of = ofTenant === true ? { of: 'tenant' } : {};
      const routes = await session.routes();
      const webhook = await routes.send('POST', ROUTE, { url, types: type, ...of, ...receiverOf(flags) });
      output.document(webhook, () => webhookLines(webhook));
    }),
  );

  const list = callerCommand(events.command('list')).description(
    'lists your webhooks for events; operators see all of their tenant',
  );
  list.action(() =>
    run(list, async ({ session, output }) => {
      const found = await (await session.routes()).get(ROUTE);
      output.document(found, () => listOf(found.webhooks).flatMap(webhookLines));
    }),
  );

  const remove = callerCommand(events.command('delete <id>')).description(
    'removes a webhook, with the events that it has not got',
  );
  remove.action((id: string) =>
    run(remove, async ({ session, output }) => {
      await (await session.routes()).send('DELETE', `${ROUTE}/${encodeURIComponent(id)}`);
      output.document({}, () => [field('Deleted', id)]);
    }),
  );
}

function webhookLines({ id, origin, types, of, outstanding, isStopped }: JsonObject): readonly string[] {
  return [
    field('Webhook', String(id)),
    field('Receiver', String(origin)),
    field('Events', Array.isArray(types) ? types.map(String).join(', ') : ''),
    field('Of', of === 'tenant' ? 'all tasks of the tenant' : 'your tasks'),
    field('Outstanding', String(outstanding)),
    ...(isStopped === true ? [field('Stopped', 'yes')] : []),
  ];
}
