import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SaxesParser } from 'saxes';

/** Where the plugins are. */
const PLUGINS = fileURLToPath(new URL('../../test/tck', import.meta.url));

/**
 * Runs pytest in the folder, with the variables that make a caller of it, and reads its JUnit report. Throws with its output when it could not run the tests.
 * @returns {Promise<readonly { id: string, outcome: 'passed' | 'failed' | 'skipped', reason: string }[]>}
 */
export async function runPytest({ python, folder, args, caller, report }) {
  const { PYTHONPATH } = process.env;
  const path = [PLUGINS, ...(PYTHONPATH === undefined ? [] : [PYTHONPATH])].join(delimiter);
  const child = spawn(python, ['-m', 'pytest', ...args, '-q', '--tb=short', `--junitxml=${report}`], {
    cwd: folder,
    env: { ...process.env, ...caller, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1', TCK_STREAMING_TIMEOUT: '2' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  if (code > 1) throw new Error(`pytest ended with ${code}:\n${said}`);
  const cases = casesOf(await readFile(report, 'utf8'));
  await rm(report);
  return cases;
}

const OUTCOMES = { failure: 'failed', error: 'failed', skipped: 'skipped' };

function casesOf(xml) {
  const cases = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testcase') {
      cases.push({ id: `${attributes.classname}.${attributes.name}`, outcome: 'passed', reason: '' });
    }
    const last = cases.at(-1);
    if (last === undefined || OUTCOMES[name] === undefined) return;
    Object.assign(last, { outcome: OUTCOMES[name], reason: attributes.message.split('\n')[0] });
  });
  parser.write(xml).close();
  return cases;
}
