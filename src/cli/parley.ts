#!/usr/bin/env node
import 'reflect-metadata';
import { Command } from 'commander';
import { ConfigError } from '../platform/config/config-error.js';
import { readEnvFile } from '../platform/config/env-file.js';
import { loadConfig } from '../platform/config/load-config.js';
import { packageVersion } from '../platform/config/package-version.js';
import { examine } from './doctor/doctor.js';
import { rotateFile, rotateVariable } from './keys.js';
import { OperatorError } from './operator-error.js';
import type { Output } from './output.js';
import { purge, type PurgeOptions } from './purge.js';
import { showQueue } from './queue.js';
import { reseal } from './reseal.js';
import { ringOf, sealingKeysOf } from './sealing-keys.js';
import { cancelTask, showTask, type TaskViewOptions } from './task.js';
import { listTasks, type TasksOptions } from './tasks.js';
import { listWebhooks, redriveWebhooks, type WebhooksOptions } from './webhooks.js';
import { withRedis, withService } from './with-service.js';
import { webhookSecret, type WebhookSecretOptions } from './webhook-secret.js';

readEnvFile();
const program = new Command('parley')
  .description('Operates a Parley service. Reads the variables of the service, and .env as it does.')
  .version(packageVersion())
  .option('--json', 'print JSON for programs')
  .showHelpAfterError();

program
  .command('doctor')
  .description('checks configuration, Redis, clock, issuers and agent card, and suggests fixes')
  .option('--url <address>', 'where the service answers; default PUBLIC_URL')
  .action(async ({ url }: { url?: string }) => {
    const output = await examine({ version: packageVersion(), ...(url === undefined ? {} : { url }) });
    print(output);
    if (output.sick) process.exitCode = 1;
  });

program
  .command('tasks')
  .description('lists the newest tasks of a tenant, or of one of its clients')
  .option('--tenant <name>', 'the tenant', 'default')
  .option('--client <name>', 'only those that this client sent')
  .option('--user <name>', 'only those that the client sent for this user, where users own tasks (OWNERSHIP)')
  .option('--context <id>', 'only of this context')
  .option('--state <state>', 'only in this state: working, completed …')
  .option('--limit <number>', 'at most so many', '20')
  .action(async (options: TasksOptions) => {
    print(await withService((service) => listTasks(service, options)));
  });

program
  .command('task <id>')
  .description('shows one task: state, owner, run, latest events, webhooks and their attempts')
  .option('--events <number>', 'the latest events, at most so many', '20')
  .action(async (id: string, options: TaskViewOptions) => {
    print(await withService((service) => showTask(service, id, options)));
  });

program
  .command('cancel <id>')
  .description('cancels a task, whoever owns it')
  .action(async (id: string) => {
    print(await withService((service) => cancelTask(service, id)));
  });

program
  .command('queue')
  .description('shows the queue of runs')
  .action(async () => {
    print(await withService(showQueue));
  });

const webhooks = program.command('webhooks').description('webhooks: what was given up, and what signs them');
ofSomeWebhooks(webhooks.command('list'))
  .description('lists them, newest first')
  .action(async (options: WebhooksOptions) => {
    print(await withService((service) => listWebhooks(service, options)));
  });
ofSomeWebhooks(webhooks.command('redrive'))
  .description('sends them after all, oldest first')
  .action(async (options: WebhooksOptions) => {
    print(await withService((service) => redriveWebhooks(service, options)));
  });

program
  .command('purge')
  .description('removes tasks of a tenant, a client or a user for good')
  .option('--tenant <name>', 'the tenant', 'default')
  .option('--client <name>', 'only what this client owns, alone and for its users')
  .option('--user <name>', 'only what the client owns for this user')
  .option('--context <id>', 'the tasks of this context')
  .option('--all', 'every task')
  .option('--running', 'tasks that are not finished too')
  .option('--yes', 'really remove them; without it only their number is shown')
  .action(async (options: PurgeOptions) => {
    print(await withService((service) => purge(service, options)));
  });

ofOneClient(webhooks.command('secret'))
  .description('shows the secrets that sign the webhooks of a client, and changes them in two steps')
  .option('--stage', 'makes the next secret: both sign from now on')
  .option('--promote', 'the next secret becomes the current one; the former signs for another day')
  .option('--derived', 'back to the secret that follows from the sealing keys')
  .action(async (options: WebhookSecretOptions) => {
    const ring = ringOf(sealingKeysOf(loadConfig(), undefined));
    print(await withRedis((redis, keyPrefix) => webhookSecret(redis, keyPrefix, ring, options)));
  });

const keys = program.command('keys').description('the keys that seal secrets in Redis');
keys
  .command('rotate')
  .description('adds a new key that opens only; with --promote lets it seal')
  .option('--file <path>', 'the file of the keys; default SECRET_KEYS, or sealing-keys in DATA_DIR')
  .option('--promote', 'the second step, when every process has the file')
  .action(({ file, promote }: { file?: string; promote?: boolean }) => {
    const step = promote === true ? 'promote' : 'stage';
    const where = sealingKeysOf(loadConfig(), file);
    print('value' in where ? rotateVariable(where.value, step, new Date()) : rotateFile(where.file, step, new Date()));
  });
keys
  .command('reseal')
  .description('seals every secret in Redis with the first key, and says which keys may go; the service may run')
  .option('--file <path>', 'the file of the keys; default SECRET_KEYS, or sealing-keys in DATA_DIR')
  .action(async ({ file }: { file?: string }) => {
    const ring = ringOf(sealingKeysOf(loadConfig(), file));
    const output = await withRedis((redis, keyPrefix) => reseal(redis, keyPrefix, ring));
    print(output);
    if (Object.keys(output.closed).length > 0) process.exitCode = 1;
  });

function ofOneClient(command: Command): Command {
  return command
    .option('--tenant <name>', 'the tenant of the client', 'default')
    .option('--client <name>', 'the client that sent the tasks', 'local');
}

function ofSomeWebhooks(command: Command): Command {
  return command
    .option('--tenant <name>', 'only of this tenant')
    .option('--origin <address>', 'only to this receiver: https://receiver.example')
    .option('--task <id>', 'only of this task')
    .option('--since <time>', 'only given up since then, ISO 8601')
    .option('--limit <number>', 'at most so many', '100');
}

function print({ json, text }: Output): void {
  const asJson = program.opts<{ json?: boolean }>().json === true;
  process.stdout.write(`${asJson ? JSON.stringify(json, undefined, 2) : text}\n`);
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
