import { type CommandResult, parley } from './parley-command.js';

/** Runs `parley ops` inside of the test, with these variables and none of the machine's. */
export async function parleyOps(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const before = process.env;
  process.env = { ...variables };
  try {
    return await parley(['ops', ...args]);
  } finally {
    process.env = before;
  }
}
