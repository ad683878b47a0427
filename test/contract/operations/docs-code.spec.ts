import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { createProgram } from '../../../src/cli/program.js';

/** Pages whose commands or programs are run as printed, and what runs them. */
const RUN_BY: Readonly<Record<string, string>> = {
  'callers.md': 'test/e2e/callers-doc.long.spec.ts',
  'callers/javascript.md': 'scripts/callers-check.mjs',
  'callers/python.md': 'scripts/callers-check.mjs',
  'callers/tokens.md': 'scripts/callers-check.mjs',
  'quickstart.md': 'scripts/release-check.mjs',
  'settings.md': 'test/contract/operations/settings.spec.ts',
  'webhooks.md': 'test/contract/operations/webhooks-doc.spec.ts',
};

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

/** Without the generated reference, whose blocks are signatures. */
const BLOCKS: readonly Block[] = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((page) => page.endsWith('.md') && !page.startsWith('reference/'))
  .flatMap((page) =>
    [...readFileSync(join('docs', page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
      ([, language = '', code = '']) => ({ page, language, code }),
    ),
  );

const blocksIn = (...languages: readonly string[]): readonly Block[] =>
  BLOCKS.filter(({ language }) => languages.includes(language));

/** Examples that are compiled and tested; titles of tests may cite requirements there. */
const EXAMPLES = [
  ...readdirSync('test/contract', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('/docs/') && name.endsWith('.ts'))
    .map((name) => join('test/contract', name)),
  // The project of `parley new`; `npm run release:check` runs its tests.
  ...readdirSync('template/skills').map((name) => join('template/skills', name)),
]
  .map((name) => readFileSync(name, 'utf8'))
  .map((text) => text.replaceAll(/ \([A-Z]+-\d+\)(?=')/g, ''));

const SCRIPTS = (JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> })
  .scripts;

function syntaxFaults(code: string): readonly unknown[] {
  const { diagnostics = [] } = ts.transpileModule(code, { reportDiagnostics: true });
  return diagnostics.map(({ messageText }) => messageText);
}

describe('code in docs/', () => {
  it('is found', () => {
    expect(blocksIn('ts').length).toBeGreaterThan(20);
    expect(blocksIn('sh').length).toBeGreaterThan(20);
  });

  it.each(Object.entries(RUN_BY))('%s is run by %s', (page, file) => {
    expect(readFileSync(file, 'utf8')).toContain(basename(page));
  });

  it('has no language that nothing checks', () => {
    const known = ['ts', 'sh', 'json', 'js', 'bash', 'python'];
    const run = BLOCKS.filter(({ page }) => page in RUN_BY).map(({ language }) => language);
    expect(BLOCKS.filter(({ language }) => ![...known, ...run].includes(language))).toEqual([]);
  });

  it.each(blocksIn('ts'))('$page: TypeScript is an example that is compiled and tested: $code', ({ code }) => {
    // An excerpt imports nothing; it must at least be TypeScript.
    if (/^import /m.test(code)) expect(EXAMPLES.filter((text) => text.includes(code))).not.toEqual([]);
    else expect(syntaxFaults(code.includes('class ') ? code : `${code}class Excerpt {}`)).toEqual([]);
  });

  it.each(blocksIn('json'))('$page: JSON can be read: $code', ({ code }) => {
    const texts = /^\{.*\}\n\{/s.test(code) ? code.trim().split('\n') : [code];
    for (const text of texts) expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it.each([
    ['js', process.execPath, ['--input-type=module', '--check']],
    ['bash', 'bash', ['-n']],
    ['python', 'python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())']],
  ])('the blocks in %s are a program; `npm run check:callers` runs those of callers', (language, command, words) => {
    execFileSync(command, words, {
      input: blocksIn(language)
        .map(({ code }) => code)
        .join('\n'),
    });
    expect(readFileSync('scripts/callers-check.mjs', 'utf8')).toContain(`programIn('${language}')`);
  });

  const commands = blocksIn('sh').filter(({ page }) => !(page in RUN_BY));

  it.each(commands)('$page: commands are shell, and name what there is: $code', ({ code }) => {
    // A transcript shows answers too.
    const isTranscript = code.startsWith('$ ');
    const lines = code
      .split('\n')
      .flatMap((line) => (isTranscript ? (line.startsWith('$ ') ? [line.slice(2)] : []) : [line]));
    const text = lines.join('\n');
    execFileSync('bash', ['-n'], { input: text });
    const scripts = [...text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(scripts.filter((name) => !(name in SCRIPTS))).toEqual([]);
    const files = [...text.matchAll(/\bnode (scripts\/\S+)/g)].map(([, file = '']) => file);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const operated = [...text.matchAll(/^parley ops (\w+)/gm)].map(([, name = '']) => name);
    const ops = createProgram().commands.find((command) => command.name() === 'ops');
    expect(operated.filter((name) => ops?.commands.some((command) => command.name() === name) !== true)).toEqual([]);
  });
});
