#!/usr/bin/env node
import 'reflect-metadata';
import { Command } from 'commander';
import { ConfigError } from '../platform/config/config-error.js';
import { readEnvFile } from '../platform/config/env-file.js';
import { loadConfig } from '../platform/config/load-config.js';
import { packageVersion } from '../platform/config/package-version.js';
import { examine } from './doctor/doctor.js';
import { rotateFile, rotateVariable } from './keys.js';
import { migrate, type MigrateOptions } from './migrate.js';
import { OperatorError } from './operator-error.js';
import type { Output } from './output.js';
import { purge, type PurgeOptions } from './purge.js';
import { showQueue } from './queue.js';
import { reencrypt } from './reencrypt.js';
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
  .option('--url <address>', 'address of the service; default PUBLIC_URL')
  .action(async ({ url }: { url?: string }) => {
    const output = await examine({ version: packageVersion(), ...(url === undefined ? {} : { url }) });
    print(output);
    if (output.sick) process.exitCode = 1;
  });

program
  .command('tasks')
  .description('lists the newest tasks of a tenant, or of one of its clients')
  .option('--tenant <name>', 'the tenant', 'default')
  .option('--client <name>', 'only tasks of this client')
  .option('--user <name>', 'only tasks of this user of the client, if users own tasks (OWNERSHIP)')
  .option('--context <id>', 'only tasks of this context')
  .option('--state <state>', 'only tasks in this state: working, completed …')
  .option('--skill <id>', 'only tasks of this skill; not with --client or --context')
  .option('--limit <number>', 'maximum number', '20')
  .action(async (options: TasksOptions) => {
    print(await withService((service) => listTasks(service, options)));
  });

program
  .command('task <id>')
  .description('shows one task: state, owner, run, latest events, webhooks and their attempts')
  .option('--events <number>', 'maximum number of latest events', '20')
  .action(async (id: string, options: TaskViewOptions) => {
    print(await withService((service) => showTask(service, id, options)));
  });

program
  .command('cancel <id>')
  .description('cancels a task of any owner')
  .action(async (id: string) => {
    print(await withService((service) => cancelTask(service, id)));
  });

program
  .command('queue')
  .description('shows waiting and active runs, parked tasks and pending wake-ups, and how long the next run has waited')
  .action(async () => {
    print(await withService(showQueue));
  });

program
  .command('migrate')
  .description(
    'migrates stored data of an older version to the schema of this one; stop all processes of the service first',
  )
  .option('--dry-run', 'reads and converts everything without writing')
  .action(async (options: MigrateOptions) => {
    print(await migrate(options));
  });

const webhooks = program.command('webhooks').description('dead letters and signing secrets of webhooks');
ofSomeWebhooks(webhooks.command('list'))
  .description('lists dead letters, newest first')
  .action(async (options: WebhooksOptions) => {
    print(await withService((service) => listWebhooks(service, options)));
  });
ofSomeWebhooks(webhooks.command('redrive'))
  .description('delivers dead letters again, oldest first')
  .action(async (options: WebhooksOptions) => {
    print(await withService((service) => redriveWebhooks(service, options)));
  });

program
  .command('purge')
  .description('deletes ended tasks of a tenant, a client or a user')
  .option('--tenant <name>', 'the tenant', 'default')
  .option('--client <name>', 'only tasks of this client and its users')
  .option('--user <name>', 'only tasks of this user of the client')
  .option('--context <id>', 'only tasks of this context')
  .option('--all', 'every task')
  .option('--running', 'unfinished tasks as well')
  .option('--yes', 'delete the tasks; without --yes, only their number is printed')
  .action(async (options: PurgeOptions) => {
    print(await withService((service) => purge(service, options)));
  });

ofOneClient(webhooks.command('secret'))
  .description('shows the signing secrets of a client, and rotates them in two steps')
  .option('--stage', 'creates the next secret; both secrets sign from now on')
  .option('--promote', 'makes the next secret the current one; the old one signs for another day')
  .option('--derived', 'returns to the secret that is derived from the encryption keys')
  .action(async (options: WebhookSecretOptions) => {
    const ring = ringOf(sealingKeysOf(loadConfig(), undefined));
    print(await withRedis((redis, keyPrefix) => webhookSecret(redis, keyPrefix, ring, options)));
  });

const keys = program.command('keys').description('the keys that encrypt secrets in Redis');
keys
  .command('rotate')
  .description('adds a new key that only decrypts; with --promote it encrypts')
  .option('--file <path>', 'the key file; default SECRET_KEYS, or sealing-keys in DATA_DIR')
  .option('--promote', 'second step, after every process has the new key: encrypt with it')
  .action(({ file, promote }: { file?: string; promote?: boolean }) => {
    const step = promote === true ? 'promote' : 'stage';
    const where = sealingKeysOf(loadConfig(), file);
    print('value' in where ? rotateVariable(where.value, step, new Date()) : rotateFile(where.file, step, new Date()));
  });
keys
  .command('reencrypt')
  .alias('reseal')
  .description(
    're-encrypts every secret in Redis with the first key, and lists the keys that can be removed; the service may run',
  )
  .option('--file <path>', 'the key file; default SECRET_KEYS, or sealing-keys in DATA_DIR')
  .action(async ({ file }: { file?: string }) => {
    const ring = ringOf(sealingKeysOf(loadConfig(), file));
    const output = await withRedis((redis, keyPrefix) => reencrypt(redis, keyPrefix, ring));
    print(output);
    if (Object.keys(output.closed).length > 0) process.exitCode = 1;
  });

function ofOneClient(command: Command): Command {
  return command
    .option('--tenant <name>', 'the tenant of the client', 'default')
    .option('--client <name>', 'the client', 'local');
}

function ofSomeWebhooks(command: Command): Command {
  return command
    .option('--tenant <name>', 'only dead letters of this tenant')
    .option('--origin <address>', 'only dead letters of this receiver: https://receiver.example')
    .option('--task <id>', 'only dead letters of this task')
    .option('--since <time>', 'only dead-lettered since then, such as 2026-01-31T08:00:00Z')
    .option('--limit <number>', 'maximum number', '100');
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
