import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformFile } from '@swc/core';
import type { SkillSource } from '../../../src/skill/sandbox/sandboxed-skill.js';
import type { SandboxOptions } from '../../../src/skill/sandbox/sandbox-process.js';

/** A sandbox is another process, which reads JavaScript: the program and a fixture compiled to a folder inside the repository. */
export class SandboxBuild {
  private constructor(
    private readonly folder: string,
    private readonly fixture: string,
  ) {}

  /** @param fixture the path of a module with skills, without its extension */
  static async of(fixture: string): Promise<SandboxBuild> {
    await mkdir('.cache', { recursive: true });
    const folder = await mkdtemp('.cache/sandbox-');
    const names = await readdir('src/skill', { recursive: true });
    const program = names.filter((name) => /(?<!\.spec)\.ts$/.test(name)).map((name) => join('src/skill', name));
    for (const source of [...program, `${fixture}.ts`]) await compile(source, folder);
    return new SandboxBuild(folder, fixture);
  }

  get options(): SandboxOptions {
    return { entry: this.at('src/skill/sandbox/sandbox-entry.js'), memoryMb: 64, graceMs: 300 };
  }

  source(exportName: string): SkillSource {
    return { module: this.at(`${this.fixture}.js`), exportName };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  private at(path: string): URL {
    return pathToFileURL(join(this.folder, path));
  }
}

async function compile(source: string, folder: string): Promise<void> {
  const { code } = await transformFile(source, {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'es6' },
  });
  const target = join(folder, source.replace(/ts$/, 'js'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
}
