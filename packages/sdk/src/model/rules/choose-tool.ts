import type { ModelTool } from '../model.port.js';
import { stemsOf } from './words.js';

/** A word of the name or of an example says more than one of the description. */
const WEIGHTS = { name: 3, examples: 2, description: 1 };
/** Below it nothing fits. */
const LEAST_SCORE = 0.15;

/**
 * The tool whose name, examples and description have most of the words of a text; rare words count more. Undefined if none fits. The
 * same text and tools always give the same choice: equal scores go to the first.
 */
export function chooseTool(text: string, tools: readonly ModelTool[]): ModelTool | undefined {
  const stems = [...new Set(stemsOf(text))];
  const vocabularies = tools.map(vocabularyOf);
  const rarity = (stem: string): number => {
    const count = vocabularies.filter((words) => words.has(stem)).length;
    return count === 0 ? 0 : Math.log(1 + tools.length / count);
  };
  const most = stems.reduce((sum, stem) => sum + (rarity(stem) || Math.log(1 + tools.length)), 0);
  const scores = vocabularies.map((words) =>
    stems.reduce((sum, stem) => sum + (words.get(stem) ?? 0) * rarity(stem), 0),
  );
  const best = Math.max(0, ...scores);
  return most > 0 && best / most >= LEAST_SCORE ? tools[scores.indexOf(best)] : undefined;
}

/** The weight of each stem that speaks for a tool. */
function vocabularyOf({ name, description, examples = [] }: ModelTool): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const texts = { description, examples: examples.join(' '), name: name.replaceAll(/[_-]/g, ' ') };
  for (const [kind, text] of Object.entries(texts)) {
    const weight = WEIGHTS[kind as keyof typeof WEIGHTS];
    for (const stem of stemsOf(text)) words.set(stem, Math.max(weight, words.get(stem) ?? 0));
  }
  return words;
}
