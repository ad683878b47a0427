import type { Command } from 'commander';
import type { Output } from '../ops/output.js';

/** Commands for authors of agents. Each loads only its own needs: people wait for the start of a service. */
export function authorCommands(program: Command, print: (output: Output) => void): void {
  projectCommands(program, print);
  runCommands(program);
}

function projectCommands(program: Command, print: (output: Output) => void): void {
  program
    .command('new <folder>')
    .description('writes a new agent: a skill with its test, configuration, Dockerfile, compose file and CI')
    .action(async (folder: string) => {
      const { newAgent } = await import('./new.js');
      print(newAgent(folder));
    });
  program
    .command('build')
    .description('checks the types and compiles this project into dist/')
    .action(async () => {
      await import('reflect-metadata');
      const { build } = await import('./build.js');
      print(await build());
    });
}

function runCommands(program: Command): void {
  program
    .command('dev [folder]')
    .description('runs the TypeScript skills of this project, and again after each change; default ./skills')
    .action(async (folder?: string) => {
      const { compilerPath } = await import('./typescript-runtime.js');
      compilerPath();
      const { DevProcess } = await import('./dev-process.js');
      // Loads its modules in parallel with this process.
      const first = new DevProcess();
      await import('reflect-metadata');
      const { dev } = await import('./dev.js');
      await dev(first, folder);
    });
  program
    .command('test [files...]')
    .description("runs the project's *.spec.ts files in Node's test runner")
    .action(async (files: string[]) => {
      const { runTests } = await import('./test.js');
      process.exitCode = await runTests(files);
    });
  program
    .command('start')
    .description('starts the service with the packs of SKILLS, or of parley.config.js here or in dist/')
    .option('--skills <packs>', 'packs of skills, separated by commas')
    .action(async ({ skills }: { skills?: string }) => {
      await import('reflect-metadata');
      const { readEnvFile } = await import('../../platform/config/variables/env-file.js');
      const { readConfigFile, setVariables } = await import('../../platform/config/variables/flags.js');
      setVariables({ SKILLS: skills });
      readEnvFile();
      await readConfigFile();
      const { start } = await import('../../main/start.js');
      await start();
    });
}
