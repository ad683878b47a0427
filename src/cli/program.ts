import { Command, Option } from 'commander';
import { authorCommands } from './author/author-commands.js';
import { packageVersion } from '../platform/config/package-version.js';
import { printableJson } from '@parley/protocol/json/printable.js';
import { clientCommands } from '@parley/cli/command/client-commands.js';
import { type CliError, usageError } from '@parley/cli/context/cli-error.js';
import { surroundingsOf } from '@parley/cli/context/command-context.js';
import type { Print } from './ops/in-service.js';
import { operatorCommands, policyCommand, showOneTask } from './ops/operator-commands.js';
import { traceCommand } from './ops/tasks/trace-command.js';

/** Names that operator commands had before they moved below `ops`; they work for one more release. */
const OLD_NAMES = new Set(['doctor', 'tasks', 'cancel', 'queue', 'purge', 'webhooks', 'keys']);

/** The command `parley`. Loads the service only with a command that needs it. */
export function createProgram(): Command {
  const program = new Command('parley')
    .description('Talks to A2A agents, and operates a Parley service (parley ops).')
    .version(packageVersion(), '-v, --version', 'print the version and exit')
    .showHelpAfterError()
    // Commander's own errors are usage errors of ours (`reportFailure`).
    .exitOverride();
  const task = program.command('task [id]').description('tasks of an agent');
  clientCommands(program, task);
  authorCommands(program, (output) => {
    print(output);
  });
  const ops = program
    .command('ops')
    .description('operates a Parley service: reads Redis with the variables of the service, and .env as it does')
    .option('--json', 'print JSON for programs');
  const print: Print = ({ json, text }) => {
    const asJson = ops.opts<{ json?: boolean }>().json === true || program.opts<{ json?: boolean }>().json === true;
    surroundingsOf().out(`${asJson ? printableJson(json, 2) : text}\n`);
  };
  operatorCommands(ops, print);
  policyCommand(program, print);
  traceCommand(program, print);
  oldNames(program, task, print);
  return program;
}

/** The operator's commands under their previous names, hidden from the help. */
function oldNames(program: Command, task: Command, print: Print): void {
  program.addOption(new Option('--json').hideHelp());
  const old = new Command();
  operatorCommands(old, print);
  for (const command of old.commands.filter((one) => OLD_NAMES.has(one.name()))) {
    command.hook('preAction', () => {
      surroundingsOf().err(`"parley ${command.name()}" is "parley ops ${command.name()}" now.\n`);
    });
    program.addCommand(command, { hidden: true });
  }
  task
    .addOption(new Option('--events <number>').default('20').hideHelp())
    .allowExcessArguments()
    .action(async (id: string | undefined, options: { events: string }, command: Command) => {
      if (id === undefined) return command.help();
      const isOperators = old.commands.some((one) => one.name() === id);
      if (isOperators || command.args.length > 1) throw noCommand(id, isOperators);
      surroundingsOf().err('"parley task <id>" is "parley ops task <id>" now.\n');
      await showOneTask(id, options, print);
    });
}

/** The error for a command that `parley task` lacks and that may be an operator's. */
function noCommand(name: string, isOperators: boolean): CliError {
  const hint = isOperators ? `operators of a Parley service have "parley ops ${name}".` : 'see "parley task --help".';
  return usageError(`"parley task" has no command "${name}": ${hint}`);
}
