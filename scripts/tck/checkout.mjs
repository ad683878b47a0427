import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const BINDINGS = ['jsonrpc', 'rest', 'grpc'];

/**
 * Suites to run of a checked out TCK. Its branch for 1.0 has one suite for all bindings; the older ones have
 * categories, of which some are run for each binding.
 */
export async function readTck(folder) {
  const revision = execFileSync('git', ['-C', folder, 'log', '-1', '--format=%h of %cs'], { encoding: 'utf8' }).trim();
  if (existsSync(join(folder, 'tests/compatibility'))) return { revision, variables: {}, runs: runsOfV1 };
  if (existsSync(join(folder, 'tests/mandatory'))) {
    const guarded = { variables: { ...OF_CATEGORIES, API_KEYS }, runs: runsOfAuthentication };
    return { revision, variables: OF_CATEGORIES, runs: runsOfCategories, guarded };
  }
  throw new Error(`${folder} is no checkout of the A2A TCK`);
}

/** These wait for nothing to be finished: they want to see a task at work, and their tasks are at work for seconds. */
const OF_CATEGORIES = { BLOCKING_MS: '300', WORKER_CONCURRENCY: '200' };

const SECRET = 'tck.a-key-for-this-run-only';
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.read a2a:push.write a2a:card.extended';
const API_KEYS = `tck:default:tck:${SCOPES}:${createHash('sha256').update(SECRET).digest('hex')}`;

/** Form in which the older branches take a caller's key. */
export const KEY = { A2A_AUTH_TYPE: 'apikey', A2A_AUTH_TOKEN: SECRET };

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

/** Tests that fit a service that knows its callers: all others also send calls without the key. */
function runsOfAuthentication(address) {
  const tests = [
    ...['tests/mandatory/authentication', 'tests/mandatory/protocol/test_extended_agent_card.py'],
    'tests/optional/capabilities/test_authentication.py',
  ];
  const args = [
    ...tests,
    '-p',
    'parley_tck_v0_3',
    `--sut-url=${address}`,
    '--test-scope=all',
    '--transports',
    'jsonrpc',
  ];
  return [{ name: 'authentication, jsonrpc', args }];
}
