import type { Command } from 'commander';
import { inService, prepare, type Print } from '../in-service.js';
import type { Output } from '../output.js';
import type { ExportOptions } from './trace.js';

/** Bundles of tasks. Only `export` needs the service. */
export function traceCommand(parent: Command, print: Print): void {
  const trace = parent.command('trace').description('bundles of tasks: export, replay against a skill, compare');
  snapshotCommands(parent, trace, print);
  trace
    .command('export <id>')
    .description('writes all that is stored of a task as lines of JSON')
    .option('--out <file>', 'the file; default: standard output')
    .option('--strip-content', 'replaces texts and values by their sizes and marks')
    .option('--children', 'with the tasks that it has called')
    .action(async (id: string, options: ExportOptions) => {
      await prepare();
      const { exportTrace } = await import('./trace.js');
      const output = await inService((service) => exportTrace(service, id, options));
      if (output !== undefined) print(output);
    });
  trace
    .command('replay <bundle>')
    .description('runs a skill over the recorded messages, and compares its events; exit code 1 where they differ')
    .requiredOption('--skill <file>', 'the file with the class of the skill, TypeScript or JavaScript')
    .action(async (file: string, { skill }: { skill: string }) => {
      await prepare();
      const { replayTrace } = await import('./trace.js');
      printCompared(await replayTrace(file, skill), print);
    });
  trace
    .command('diff <first> <second>')
    .description('compares two bundles by step, artifact, call and status; exit code 1 where they differ')
    .action(async (one: string, other: string) => {
      await prepare();
      const { diffTraces } = await import('./trace.js');
      printCompared(diffTraces(one, other), print);
    });
}

/** A task as of one of its events: from the store or from a bundle. */
function snapshotCommands(ops: Command, trace: Command, print: Print): void {
  ops
    .command('snapshot <id>')
    .description('shows a task as it was at one of its events: status, artifacts, shared values, steps, open calls')
    .requiredOption('--at <seq>', 'the number of the event, from 1')
    .action(async (id: string, { at }: { at: string }) => {
      await prepare();
      const { showSnapshot } = await import('./trace.js');
      print(await inService((service) => showSnapshot(service, id, at)));
    });
  trace
    .command('snapshot <bundle>')
    .description('shows the task of a bundle as it was at one of its events')
    .requiredOption('--at <seq>', 'the number of the event, from 1')
    .action(async (file: string, { at }: { at: string }) => {
      await prepare();
      const { showSnapshotIn } = await import('./trace.js');
      print(showSnapshotIn(file, at));
    });
}

function printCompared({ isEqual, ...output }: Output & { readonly isEqual: boolean }, print: Print): void {
  print(output);
  if (!isEqual) process.exitCode = 1;
}
