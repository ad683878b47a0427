import type { Command } from 'commander';
import { callerCommand, run } from '../context/command-context.js';
import { field } from '../context/output.js';

/** `parley config show`: every setting with its source. Nothing is changed. */
export function configCommands(config: Command): void {
  const show = callerCommand(config.command('show')).description('shows every setting and where it comes from');
  show.action(() =>
    run(show, async ({ settings, output }) => {
      const all = settings.all();
      output.document(all, () =>
        Object.entries(all).map(([name, { value, source }]) => field(name, `${value ?? '(none)'} (${source})`)),
      );
    }),
  );
}
