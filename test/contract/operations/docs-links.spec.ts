import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const filesIn = (folder: string, type: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => type.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name));

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...filesIn('docs', /\.md$/)];
const SOURCES = ['src', 'packages', 'test', 'scripts', 'skills', 'console', 'docker', 'deploy', 'template']
  .flatMap((folder) => filesIn(folder, /(\.(ts|tsx|mjs|lua|json|yaml|md)|Dockerfile)$/))
  .concat(PAGES, '.env.example', '.dependency-cruiser.cjs');
const DECISIONS = readdirSync('docs/decisions').map((name) => name.slice(0, 4));

interface Link {
  readonly page: string;
  readonly target: string;
  readonly anchor: string | undefined;
}

const LINKS: readonly Link[] = PAGES.flatMap((page) =>
  [...proseOf(page).matchAll(/\]\(([^\s()#]*)(?:#([^\s()]+))?\)/g)]
    .filter(([, target = '']) => !/^[a-z]+:/.test(target))
    .map(([, target = '', anchor]) => ({
      page,
      target: target === '' ? page : normalize(join(dirname(page), target)),
      anchor,
    })),
);

/** The text of a page without its code. */
function proseOf(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(/^```.*?^```$/gms, '');
}

/** The anchors that GitHub makes of the headings of a page, and those written as HTML. */
function anchorsOf(page: string): readonly string[] {
  const written = [...proseOf(page).matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  return [...written, ...headings];
}

describe('links in the documents', () => {
  it('are found', () => {
    expect(LINKS.length).toBeGreaterThan(200);
  });

  it('lead to files that exist', () => {
    expect(LINKS.filter(({ target }) => !existsSync(target))).toEqual([]);
  });

  it('lead to headings that exist', () => {
    const toPages = LINKS.filter(({ target, anchor }) => anchor !== undefined && target.endsWith('.md'));
    expect(toPages.filter(({ target, anchor = '' }) => !anchorsOf(target).includes(anchor))).toEqual([]);
  });
});

describe('the map of the README', () => {
  it('names every folder of src/', () => {
    const folders = readdirSync('src', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const rows = [...readFileSync('README.md', 'utf8').matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name = '']) => name);
    expect(rows.sort()).toEqual(folders.sort());
  });
});

describe('sources and documents', () => {
  const cited = (pattern: RegExp) =>
    SOURCES.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, found = '']) => ({ file, found })),
    );

  it('name pages that exist', () => {
    expect(cited(/(?<![\w/])(docs\/[\w/-]+\.md)\b/g).filter(({ found }) => !existsSync(found))).toEqual([]);
  });

  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const named = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => ({ page, name })),
    );
    // Scripts of the projects that `parley new` makes.
    const ofProjects = ['doctor', 'dev'];
    expect(named.filter(({ name }) => !(name in scripts) && !ofProjects.includes(name))).toEqual([]);
  });

  it('cite decisions that exist', () => {
    const numbers = cited(/\b(?:decisions? |decisions\/)(\d{4})\b/g);
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers.filter(({ found }) => !DECISIONS.includes(found))).toEqual([]);
  });
});
