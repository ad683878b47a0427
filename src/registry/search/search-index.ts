import type { Listing } from '../../agents/card/ard/listing.js';
import { isNear, wordsOf } from './words.js';

/** Weight of a word by its field. */
const WEIGHTS = { skill: 4, name: 4, tag: 3, example: 2, skillText: 1.5, description: 1 } as const;
/** BM25: saturation of repeated words. */
const SATURATION = 1.2;
/** A prefix or fuzzy match counts less. */
const [PREFIX_SHARE, NEAR_SHARE] = [0.6, 0.4];
/** Shorter words have too many neighbours for a fuzzy match. */
const LEAST_FUZZY = 5;
const MAX_QUERY_WORDS = 32;

/** A result of a search: relevance from 1 to 100. */
export interface Hit {
  readonly identifier: string;
  readonly score: number;
}

/**
 * The words of a tenant's agents. The rarity of a word is counted among the agents visible to the caller: hidden ones
 * have no influence on a ranking, which therefore cannot reveal them.
 */
export class SearchIndex {
  /** Word → agent → weight. */
  private readonly agentsByWord = new Map<string, Map<string, number>>();
  private readonly wordsByAgent = new Map<string, readonly string[]>();
  private readonly skillsByAgent = new Map<string, readonly string[]>();

  put(identifier: string, listing: Listing): void {
    this.remove(identifier);
    const weights = weightsOf(listing);
    for (const [word, weight] of weights) {
      const agents = this.agentsByWord.get(word) ?? new Map<string, number>();
      agents.set(identifier, weight);
      this.agentsByWord.set(word, agents);
    }
    this.wordsByAgent.set(identifier, [...weights.keys()]);
    const skills = listing.capabilities.map((id) => id.toLowerCase());
    this.skillsByAgent.set(identifier, skills);
  }

  remove(identifier: string): void {
    for (const word of this.wordsByAgent.get(identifier) ?? []) {
      const agents = this.agentsByWord.get(word);
      agents?.delete(identifier);
      if (agents?.size === 0) this.agentsByWord.delete(word);
    }
    this.wordsByAgent.delete(identifier);
    this.skillsByAgent.delete(identifier);
  }

  /** Ranks the visible agents that have a word of the text; best first, equal ones by identifier. */
  search(text: string, visible: ReadonlySet<string>): readonly Hit[] {
    const words = [...new Set(wordsOf(text))].slice(0, MAX_QUERY_WORDS);
    const scores = new Map<string, { sum: number; words: number }>();
    let best = 0;
    for (const word of words) {
      const found = this.matches(word, visible);
      const rarity = Math.log(1 + (visible.size - found.size + 0.5) / (found.size + 0.5));
      best += rarity;
      for (const [identifier, weight] of found) {
        const score = scores.get(identifier) ?? { sum: 0, words: 0 };
        score.sum += rarity * (weight / (weight + SATURATION));
        score.words += 1;
        scores.set(identifier, score);
      }
    }
    const hits = [...scores].map(([identifier, { sum, words: matched }]) => {
      const coverage = matched / words.length;
      return { identifier, score: clamp(Math.round((99 * sum * coverage) / best)) };
    });
    return ranked([...hits.filter(({ identifier }) => !this.hasSkill(identifier, text)), ...this.exact(text, visible)]);
  }

  /** Agents with a skill of exactly this id: always the best match. */
  private exact(text: string, visible: ReadonlySet<string>): readonly Hit[] {
    const named = [...visible].filter((identifier) => this.hasSkill(identifier, text));
    return named.map((identifier) => ({ identifier, score: 100 }));
  }

  private hasSkill(identifier: string, text: string): boolean {
    return this.skillsByAgent.get(identifier)?.includes(text.trim().toLowerCase()) === true;
  }

  /** The visible agents with a word, or with a similar one when no agent has the exact word. */
  private matches(word: string, visible: ReadonlySet<string>): ReadonlyMap<string, number> {
    const exact = this.visibleWith(word, 1, visible);
    if (exact.size > 0) return exact;
    const like = new Map<string, number>();
    for (const other of this.agentsByWord.keys()) {
      const share = shareOf(word, other);
      if (share === 0) continue;
      for (const [identifier, weight] of this.visibleWith(other, share, visible)) {
        like.set(identifier, Math.max(weight, like.get(identifier) ?? 0));
      }
    }
    return like;
  }

  private visibleWith(word: string, share: number, visible: ReadonlySet<string>): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const [identifier, weight] of this.agentsByWord.get(word) ?? []) {
      if (visible.has(identifier)) found.set(identifier, weight * share);
    }
    return found;
  }
}

function shareOf(word: string, other: string): number {
  if (word.length >= 3 && other.startsWith(word)) return PREFIX_SHARE;
  return word.length >= LEAST_FUZZY && isNear(word, other) ? NEAR_SHARE : 0;
}

function weightsOf(listing: Listing): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const count = (texts: readonly string[], weight: number): void => {
    for (const word of texts.flatMap(wordsOf)) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  count(listing.capabilities, WEIGHTS.skill);
  count([listing.displayName], WEIGHTS.name);
  count(listing.tags, WEIGHTS.tag);
  count(listing.representativeQueries, WEIGHTS.example);
  count(listing.skillTexts, WEIGHTS.skillText);
  count([listing.description], WEIGHTS.description);
  return weights;
}

function clamp(score: number): number {
  return Math.min(99, Math.max(1, score));
}

function ranked(hits: readonly Hit[]): readonly Hit[] {
  return [...hits].sort((one, other) => other.score - one.score || (one.identifier < other.identifier ? -1 : 1));
}
