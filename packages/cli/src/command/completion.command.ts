import type { Command } from 'commander';
import { usageError } from '../context/cli-error.js';
import { run, surroundingsOf } from '../context/command-context.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `parley completion <shell>`: a script that completes the commands and flags that there are. */
export function completionCommand(program: Command): void {
  const command = program
    .command('completion <shell>')
    .description(`prints a script that completes commands and flags: ${SHELLS.join(', ')}`);
  command.action((shell: string) =>
    run(command, async () => {
      const words = wordsOf(program);
      surroundingsOf().out(scriptOf(shell, words));
    }),
  );
}

/** Possible continuations of each command, by its path: `task get`. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  const words = new Map<string, readonly string[]>();
  const visit = (command: Command, path: string): void => {
    const shown = command.createHelp().visibleCommands(command);
    const flags = command.options
      .filter(({ hidden }) => !hidden)
      .flatMap(({ long }) => (typeof long === 'string' ? [long] : []));
    words.set(path, [...shown.map((one) => one.name()), ...flags]);
    for (const one of command.commands) visit(one, path === '' ? one.name() : `${path} ${one.name()}`);
  };
  visit(program, '');
  return words;
}

function scriptOf(shell: string, words: Words): string {
  const cases = [...words].map(([path, next]) => `    ${quoted(path)}) words=${quoted(next.join(' '))} ;;`).join('\n');
  switch (shell) {
    case 'bash':
      return bashScript(cases);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(cases)}`;
    case 'fish':
      return [...words].map(([path, next]) => fishLine(path, next)).join('');
    default:
      throw usageError(`The shell is one of ${SHELLS.join(', ')}`);
  }
}

function bashScript(cases: string): string {
  return `_parley() {
  local path="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    path="\${path:+$path }$word"
  done
  case "$path" in
${cases}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _parley parley
`;
}

function fishLine(path: string, next: readonly string[]): string {
  const condition =
    path === ''
      ? '__fish_use_subcommand'
      : path
          .split(' ')
          .map((word) => `__fish_seen_subcommand_from ${word}`)
          .join('; and ');
  return `complete -c parley -f -n ${quoted(condition)} -a ${quoted(next.join(' '))}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
