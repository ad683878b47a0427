import type { Command } from 'commander';
import { authCommands } from './auth.commands.js';
import { cardCommands } from './card.commands.js';
import { chatCommand } from './chat.command.js';
import { completionCommand } from './completion.command.js';
import { configCommands } from './config.commands.js';
import { conformanceCommand } from './conformance.command.js';
import { eventWebhookCommands } from './event-webhook.commands.js';
import { pushConfigCommands } from './push-config.commands.js';
import { registryCommands } from './registry.commands.js';
import { sendCommand } from './send.command.js';
import { webhookCommands } from './webhook.command.js';
import { taskCommands } from './task.commands.js';

/** The commands of callers, after the a2a-cli specification 0.2: they talk to any agent over A2A and need no Redis. */
export function clientCommands(program: Command, task: Command): void {
  cardCommands(program.command('card').description('cards of agents'), program);
  sendCommand(program);
  taskCommands(task);
  pushConfigCommands(task.command('push-config').description('webhooks of a task'));
  const webhook = program.command('webhook').description('notifications of agents');
  webhookCommands(webhook);
  eventWebhookCommands(
    webhook.command('events').description('webhooks for events that tasks of a Parley service publish'),
  );
  chatCommand(program);
  authCommands(program.command('auth').description('tokens for agents'));
  registryCommands(program.command('registry').description('agents that curators have approved'));
  configCommands(program.command('config').description('settings'));
  completionCommand(program);
  conformanceCommand(program);
}
