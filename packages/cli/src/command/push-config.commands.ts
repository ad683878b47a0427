import type { Command } from 'commander';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import { CliError, EXIT } from '../context/cli-error.js';
import { type CommandContext, callerCommand, run } from '../context/command-context.js';
import { field } from '../context/output.js';
import type { Flags } from '../context/settings.js';

/** `parley task push-config …`: the webhooks of a task. */
export function pushConfigCommands(pushConfig: Command): void {
  const create = receiverCommand(pushConfig.command('create <task-id> <url>'))
    .description('registers a webhook')
    .option('--id <id>', 'an id of your own for it');
  create.action((taskId: string, url: string) => run(create, (context) => createConfig(context, taskId, url)));

  const get = callerCommand(pushConfig.command('get <task-id> <id>')).description('shows a webhook');
  get.action((taskId: string, id: string) =>
    run(get, async (context) => {
      const config = await (await capable(context)).getPushConfig({ taskId, id });
      context.output.document(config, () => configLines(config));
    }),
  );

  const list = callerCommand(pushConfig.command('list <task-id>')).description('lists the webhooks of a task');
  list.action((taskId: string) =>
    run(list, async (context) => {
      const found = await (await capable(context)).listPushConfigs({ taskId });
      context.output.document(found, () => found.configs.flatMap(configLines));
    }),
  );

  const remove = callerCommand(pushConfig.command('delete <task-id> <id>')).description('removes a webhook');
  remove.action((taskId: string, id: string) =>
    run(remove, async (context) => {
      await (await capable(context)).deletePushConfig({ taskId, id });
      context.output.document({}, () => [field('Deleted', id)]);
    }),
  );
}

async function createConfig(context: CommandContext, taskId: string, url: string): Promise<void> {
  const { id } = context.flags;
  const client = await capable(context);
  const named = typeof id === 'string' ? { id } : {};
  const config = await client.createPushConfig({ taskId, url, ...named, ...receiverOf(context.flags) });
  context.output.document(config, () => configLines(config));
}

/** Adds the options of a command that registers a webhook: the agent sends their values to its receiver. */
export function receiverCommand(command: Command): Command {
  return callerCommand(command)
    .option('--token <token>', 'a token that comes with every notification')
    .option('--auth-scheme <scheme>', 'an HTTP authentication scheme that the agent uses at the webhook')
    .option('--auth-credentials <text>', 'its credentials');
}

/** Parsed values of these options. */
export function receiverOf({
  token,
  authScheme,
  authCredentials,
}: Flags): Pick<TaskPushNotificationConfig, 'token' | 'authentication'> {
  const credentials = typeof authCredentials === 'string' ? { credentials: authCredentials } : {};
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof authScheme === 'string' ? { authentication: { scheme: authScheme, ...credentials } } : {}),
  };
}

/** The client of an agent whose card declares webhooks (A2A 1.0 §13.3: checked before the call). */
async function capable({ session }: CommandContext) {
  const { card } = await session.card();
  if (card.capabilities.pushNotifications !== true) {
    throw new CliError('PushNotificationNotSupportedError', 'The card of the agent declares no webhooks', EXIT.failure);
  }
  return session.client();
}

function configLines({ id, taskId, url }: TaskPushNotificationConfig): readonly string[] {
  return [
    ...(id === undefined ? [] : [field('Webhook', id)]),
    ...(taskId === undefined ? [] : [field('Task', taskId)]),
    field('URL', url),
  ];
}
