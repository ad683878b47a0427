import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const SOURCES = ['src', 'skills', 'scripts', 'test/kit', 'package.json', 'nest-cli.json'];

/** A build of this repository at a commit, in `.cache/` and with our packages. Made once for each commit. */
export interface OtherCommit {
  readonly folder: string;
  /** Short hash. */
  readonly commit: string;
}

export function buildOf(reference: string): OtherCommit {
  const commit = git('rev-parse', '--short', `${reference}^{commit}`);
  const folder = join(ROOT, '.cache/floor', commit);
  const stamp = join(folder, '.built');
  if (!existsSync(stamp)) {
    mkdirSync(folder, { recursive: true });
    const archive = join(folder, 'source.tar');
    git('archive', '-o', archive, commit, ...SOURCES, ...configs(commit));
    execFileSync('tar', ['-xf', archive, '-C', folder]);
    if (!existsSync(join(folder, 'node_modules')))
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const build = (program: string, ...parameters: readonly string[]): void => {
      execFileSync(join(ROOT, 'node_modules/.bin', program), parameters, { cwd: folder, stdio: 'inherit' });
    };
    build('nest', 'build');
    build('tsc', '--project', 'tsconfig.skills.json');
    writeFileSync(stamp, '');
  }
  return { folder, commit };
}

function configs(commit: string): readonly string[] {
  return git('ls-tree', '--name-only', commit)
    .split('\n')
    .filter((name) => name.startsWith('tsconfig'));
}

function git(...parameters: readonly string[]): string {
  return execFileSync('git', ['-C', ROOT, ...parameters], { encoding: 'utf8' }).trim();
}
