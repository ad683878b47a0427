import type { Command } from 'commander';
import type { DoctorOptions } from './doctor/doctor.js';
import { agentCommands } from './agents/agent-commands.js';
import { inService, prepare, type Print } from './in-service.js';
import { toolServerCommands } from './tool-servers/tool-server-commands.js';
import type { PolicyOptions } from './policy.js';
import type { PurgeOptions } from './tasks/purge.js';
import type { TaskViewOptions } from './tasks/task.js';
import type { TasksOptions } from './tasks/tasks.js';
import { traceCommand } from './tasks/trace-command.js';
import { valueCommands } from './value-commands.js';
import type { WebhookSecretOptions } from './webhook-secret.js';
import type { WebhooksOptions } from './webhooks.js';

/**
 * The operator's commands: they read Redis with the variables of the service. Each loads its needs when it runs, so
 * that the commands for callers start without them.
 */
export function operatorCommands(ops: Command, print: Print): void {
  doctorCommand(ops, print);
  taskCommands(ops, print);
  traceCommand(ops, print);
  modelsCommand(ops, print);
  valueCommands(ops.command('values').description('values of a tenant that its skills read as app:<name>'), print);
  deploymentCommands(ops, print);
  webhookCommands(ops.command('webhooks').description('dead letters and signing secrets of webhooks'), print);
  policyCommand(ops, print);
  toolServerCommands(
    ops.command('mcp').description('the tool servers of MCP_SERVERS_FILE: pins and credentials'),
    print,
  );
  agentCommands(ops.command('agents').description('the agents of AGENTS_FILE: skills that are shown here'), print);
  keyCommands(ops.command('keys').description('the keys that encrypt secrets in Redis'), print);
}

/** Reads only `POLICY_FILE`: neither Redis nor the service. */
export function policyCommand(parent: Command, print: Print): void {
  parent
    .command('policy')
    .description('the policy of POLICY_FILE: who may call what, with which memory')
    .command('explain')
    .description(
      'says whether a caller may use an intent, a skill that it calls, or a key of memory, and by which rule',
    )
    .requiredOption('--caller <name>', 'the client, or agent://<client>')
    .option('--tenant <name>', 'the tenant of the caller', 'default')
    .option('--intent <id>', 'the intent that it calls')
    .option('--skill <id>', 'a skill that the intent calls')
    .option('--key <name>', 'a key of memory')
    .option('--file <path>', 'the policy; default POLICY_FILE')
    .action(async (options: PolicyOptions) => {
      await prepare();
      const { explainPolicy } = await import('./policy.js');
      print(explainPolicy(options));
    });
}

interface DoctorFlags {
  readonly url?: string;
  readonly offline?: boolean;
  readonly through?: string;
  readonly token?: string;
  readonly apiKey?: string;
  readonly seconds?: string;
}

function throughOf({ through, token, apiKey, seconds = '3' }: DoctorFlags): DoctorOptions['through'] {
  if (through === undefined) return undefined;
  const key = apiKey === undefined ? undefined : { 'x-api-key': apiKey };
  const credential = token === undefined ? key : { authorization: `Bearer ${token}` };
  return { through, credential, seconds: Math.min(Math.max(Number(seconds) || 3, 1), 600) };
}

function doctorCommand(ops: Command, print: Print): void {
  ops
    .command('doctor')
    .description('checks configuration, Redis, clock, agent card and all other services, and suggests fixes')
    .option('--url <address>', 'address of the service; default PUBLIC_URL')
    .option('--offline', 'asks no issuer, agent, tool server, model or collector')
    .option('--through <url>', 'compares what callers see at this address, of a gateway, with the service at --url')
    .option('--token <token>', 'with --through: calls with this access token, and streams')
    .option('--api-key <key>', 'with --through: the same with an API key')
    .option('--seconds <number>', 'with --through: length of the stream, to find time-outs', '3')
    .action(async ({ url, offline: isOffline = false, ...gateway }: DoctorFlags) => {
      await prepare();
      const { readProjectConfig } = await import('./project-config.js');
      await readProjectConfig();
      const { examine } = await import('./doctor/doctor.js');
      const { packageVersion } = await import('../../platform/config/package-version.js');
      const through = throughOf(gateway);
      const asked = { ...(url === undefined ? {} : { url }), ...(through === undefined ? {} : { through }) };
      const output = await examine({ version: packageVersion(), isOffline, ...asked });
      print(output);
      if (output.sick) process.exitCode = 1;
    });
}

function taskCommands(ops: Command, print: Print): void {
  ops
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
      await prepare();
      const { listTasks } = await import('./tasks/tasks.js');
      print(await inService((service) => listTasks(service, options)));
    });
  ops
    .command('task <id>')
    .description('shows one task: state, owner, run, latest events, webhooks and their attempts')
    .option('--events <number>', 'maximum number of latest events', '20')
    .action((id: string, options: TaskViewOptions) => showOneTask(id, options, print));
  ops
    .command('tree <id>')
    .description('shows the tree to which a task belongs: each task with its state and what it waits for')
    .action(async (id: string) => {
      await prepare();
      const { showTree } = await import('./tasks/tree.js');
      print(await inService((service) => showTree(service, id)));
    });
  ops
    .command('cancel <id>')
    .description('cancels a task of any owner')
    .action(async (id: string) => {
      await prepare();
      const { cancelTask } = await import('./tasks/task.js');
      print(await inService((service) => cancelTask(service, id)));
    });
}

/** Shows a task as an operator sees it. */
export async function showOneTask(id: string, options: TaskViewOptions, print: Print): Promise<void> {
  await prepare();
  const { showTask } = await import('./tasks/task.js');
  print(await inService((service) => showTask(service, id, options)));
}

function modelsCommand(ops: Command, print: Print): void {
  ops
    .command('models')
    .description('shows what a tenant has used of language models today and yesterday (UTC), and its daily budget')
    .option('--tenant <name>', 'the tenant', 'default')
    .action(async ({ tenant }: { tenant: string }) => {
      await prepare();
      const { showModelUse } = await import('./models.js');
      print(await inService((service) => showModelUse(service, tenant)));
    });
}

function deploymentCommands(ops: Command, print: Print): void {
  ops
    .command('queue')
    .description(
      'shows waiting and active runs, parked tasks and pending wake-ups, and how long the next run has waited',
    )
    .action(async () => {
      await prepare();
      const { showQueue } = await import('./queue.js');
      print(await inService(showQueue));
    });
  ops
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
      await prepare();
      const { purge } = await import('./tasks/purge.js');
      print(await inService((service) => purge(service, options)));
    });
}

function webhookCommands(webhooks: Command, print: Print): void {
  ofSomeWebhooks(webhooks.command('list'))
    .description('lists dead letters, newest first')
    .action(async (options: WebhooksOptions) => {
      await prepare();
      const { listWebhooks } = await import('./webhooks.js');
      print(await inService((service) => listWebhooks(service, options)));
    });
  ofSomeWebhooks(webhooks.command('redrive'))
    .description('delivers dead letters again, oldest first')
    .action(async (options: WebhooksOptions) => {
      await prepare();
      const { redriveWebhooks } = await import('./webhooks.js');
      print(await inService((service) => redriveWebhooks(service, options)));
    });
  webhooks
    .command('secret')
    .option('--tenant <name>', 'the tenant of the client', 'default')
    .option('--client <name>', 'the client', 'local')
    .description('shows the signing secrets of a client, and rotates them in two steps')
    .option('--stage', 'creates the next secret; both secrets sign from now on')
    .option('--promote', 'makes the next secret the current one; the old one signs for another day')
    .option('--derived', 'returns to the secret that is derived from the encryption keys; its own sign for another day')
    .action(async (options: WebhookSecretOptions) => {
      await prepare();
      const { webhookSecret } = await import('./webhook-secret.js');
      const { withRedis } = await import('./with-service.js');
      const ring = await ringOfKeys(undefined);
      print(await withRedis((redis, keyPrefix) => webhookSecret(redis, keyPrefix, ring, options)));
    });
}

function keyCommands(keys: Command, print: Print): void {
  keys
    .command('rotate')
    .description('adds a new key that only decrypts; with --promote it encrypts')
    .option('--file <path>', 'the key file; default SECRET_KEYS, or sealing-keys in DATA_DIR')
    .option('--promote', 'second step, after every process has the new key: encrypt with it')
    .action(async ({ file, promote }: { file?: string; promote?: boolean }) => {
      await prepare();
      const { rotateFile, rotateVariable } = await import('./keys/keys.js');
      const where = await sealingKeys(file);
      const step = promote === true ? 'promote' : 'stage';
      const now = new Date();
      print('value' in where ? rotateVariable(where.value, step, now) : rotateFile(where.file, step, now));
    });
  keys
    .command('reencrypt')
    .alias('reseal')
    .description(
      're-encrypts every secret in Redis with the first key, and lists the keys that can be removed; the service may run',
    )
    .option('--file <path>', 'the key file; default SECRET_KEYS, or sealing-keys in DATA_DIR')
    .action(async ({ file }: { file?: string }) => {
      await prepare();
      const { reencrypt } = await import('./keys/reencrypt.js');
      const { withRedis } = await import('./with-service.js');
      const ring = await ringOfKeys(file);
      const output = await withRedis((redis, keyPrefix) => reencrypt(redis, keyPrefix, ring));
      print(output);
      if (Object.keys(output.closed).length > 0) process.exitCode = 1;
    });
}

function ofSomeWebhooks(command: Command): Command {
  return command
    .option('--tenant <name>', 'only dead letters of this tenant')
    .option('--origin <address>', 'only dead letters of this receiver: https://receiver.example')
    .option('--task <id>', 'only dead letters of this task')
    .option('--since <time>', 'only dead-lettered since then, such as 2026-01-31T08:00:00Z')
    .option('--limit <number>', 'maximum number', '100');
}

async function sealingKeys(file: string | undefined) {
  const { sealingKeysOf } = await import('./keys/sealing-keys.js');
  const { loadConfig } = await import('../../main/app.environment.js');
  return sealingKeysOf(loadConfig(), file);
}

async function ringOfKeys(file: string | undefined) {
  const { ringOf } = await import('./keys/sealing-keys.js');
  return ringOf(await sealingKeys(file));
}
