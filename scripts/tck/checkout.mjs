import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const BINDINGS = ['jsonrpc', 'rest', 'grpc'];

/**
 * What is to be run of a checked out TCK. Its branch for 1.0 has one suite for all bindings; the older ones have
 * categories, of which some are run for each binding.
 */
export async function readTck(folder) {
  const revision = execFileSync('git', ['-C', folder, 'log', '-1', '--format=%h of %cs'], { encoding: 'utf8' }).trim();
  if (existsSync(join(folder, 'tests/compatibility'))) return { revision, variables: {}, runs: runsOfV1 };
  if (existsSync(join(folder, 'tests/mandatory')))
    return { revision, variables: OF_CATEGORIES, runs: runsOfCategories };
  throw new Error(`${folder} is no checkout of the A2A TCK`);
}

/** These wait for nothing to be finished: they want to see a task at work, and their tasks are at work for seconds. */
const OF_CATEGORIES = { BLOCKING_MS: '300', WORKER_CONCURRENCY: '200' };

function runsOfV1(address) {
  const args = ['-p', 'parley_tck', 'tests/compatibility', `--sut-host=${address}`];
  return [{ name: 'compatibility', args }];
}

function runsOfCategories(address) {
  const common = ['-p', 'parley_tck_v0_3', `--sut-url=${address}`, '--test-scope=all'];
  const ofBinding = (binding) => {
    const marks = `mandatory or mandatory_protocol${binding === 'jsonrpc' ? ' or mandatory_jsonrpc' : ''}`;
    const own = [...common, '--transports', binding];
    return [
      { name: `mandatory, ${binding}`, args: ['tests/mandatory', '-m', marks, ...own] },
      { name: `capabilities, ${binding}`, args: ['tests/optional/capabilities', ...own] },
    ];
  };
  const equivalence = ['tests/optional/multi_transport', '-m', 'transport_equivalence', ...common];
  return [
    ...BINDINGS.flatMap(ofBinding),
    { name: 'transport equivalence', args: [...equivalence, '--transports', BINDINGS.join(',')] },
  ];
}
