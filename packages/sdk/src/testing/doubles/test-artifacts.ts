import { refText } from '../../skill/artifacts/artifact-ref.js';
import type { Referenced, ReferencedTask } from '../../skill/artifacts/skill-artifacts.js';
import type { Content } from '../../skill/events.js';
import type { SkillHost } from '../../skill/context/skill-host.js';
import { turnContent } from '../../skill/content/turn-content.js';
import { asked } from './test-values.js';
import type { TestTurn } from '../waiting-run.js';

/** Artifacts in a map of the test, by their references, and tasks that it refers to. */
export function artifactsOf(
  test: TestTurn,
  taskId: string,
  {
    artifacts,
    references = [],
  }: { readonly artifacts: Map<string, Content>; readonly references?: readonly ReferencedTask[] },
): NonNullable<SkillHost['artifacts']> {
  const put = (name: string, content: Content): Promise<string> => {
    for (let version = 1; ; version += 1) {
      const reference = refText({ taskId, name, version });
      if (artifacts.has(reference)) continue;
      artifacts.set(reference, content);
      return Promise.resolve(reference);
    }
  };
  return {
    put: async (name, content) => (await asked(test, `artifacts.put ${name}`, () => put(name, content))) as string,
    get: async (reference) => {
      const read = (): Promise<Referenced | undefined> => Promise.resolve(referenced(artifacts.get(reference)));
      return (await asked(test, `artifacts.get ${reference}`, read)) as Referenced | undefined;
    },
    references: async () => (await asked(test, 'references', () => Promise.resolve(references))) as typeof references,
  };
}

function referenced(content: Content | undefined): Referenced | undefined {
  if (content === undefined) return undefined;
  const parts = typeof content === 'string' ? [{ text: content }] : content;
  const { text, data } = turnContent([{ parts }]);
  return { parts, text, data };
}
