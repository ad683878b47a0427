import { BEGINNING, happenings, isAtRest, type Mutation, type World } from './task-world.js';

export interface Exploration {
  readonly states: number;
  /** What must never be, each with the shortest way there. */
  readonly faults: readonly { readonly fault: string; readonly way: readonly string[] }[];
  /** Worlds from which the task cannot come to rest without its caller. */
  readonly stuck: readonly World[];
}

interface Node {
  readonly world: World;
  readonly from: string | undefined;
  readonly what: string;
  /** Worlds that can become this one without the caller. */
  readonly before: string[];
}

/** Visits every world that can come to be, breadth first; with a rule left out, as far as the first fault. */
export function explore(mutation?: Mutation): Exploration {
  const nodes = new Map<string, Node>();
  const queue: string[] = [];
  const visit = (world: World, from: string | undefined, what: string): Node => {
    const key = nameOf(world);
    const known = nodes.get(key);
    if (known !== undefined) return known;
    const node = { world, from, what, before: [] };
    nodes.set(key, node);
    // What must never be is not followed any further.
    if (world.fault === '') queue.push(key);
    return node;
  };
  visit(BEGINNING, undefined, 'the task is created');
  let found = false;
  for (const key of queue) {
    if (found && mutation !== undefined) break;
    const world = nodes.get(key)?.world ?? BEGINNING;
    for (const next of happenings(world, mutation)) {
      const node = visit(next.world, key, next.what);
      found ||= next.world.fault !== '';
      if (next.byCaller === undefined) node.before.push(key);
    }
  }
  return { states: nodes.size, faults: faultsOf(nodes), stuck: stuckOf(nodes) };
}

/** Two worlds with the same name are the same. */
function nameOf(world: World): string {
  const { state, fence, holder, isLeaseLive, cancel, parked, attempts, taken, later, jobs, workers, verdict } = world;
  const numbers = [fence, holder, attempts, taken, later, world.toAdd, world.accepted, world.answered, ...workers];
  const seen = verdict === undefined ? '' : `${verdict.fence}${verdict.as}`;
  return `${state} ${cancel} ${parked} ${isLeaseLive} ${numbers.join(' ')} ${jobs.join()} ${seen} ${world.fault}`;
}

function faultsOf(nodes: ReadonlyMap<string, Node>): Exploration['faults'] {
  const found = new Map<string, Node>();
  for (const node of nodes.values()) {
    if (node.world.fault !== '' && !found.has(node.world.fault)) found.set(node.world.fault, node);
  }
  return [...found].map(([fault, node]) => ({ fault, way: wayTo(nodes, node) }));
}

function wayTo(nodes: ReadonlyMap<string, Node>, end: Node): readonly string[] {
  const way: string[] = [];
  for (let node: Node | undefined = end; node !== undefined;) {
    way.unshift(node.what);
    node = node.from === undefined ? undefined : nodes.get(node.from);
  }
  return way;
}

function stuckOf(nodes: ReadonlyMap<string, Node>): readonly World[] {
  const canRest = new Set<string>();
  const queue = [...nodes].filter(([, { world }]) => isAtRest(world)).map(([key]) => key);
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (canRest.has(key)) continue;
    canRest.add(key);
    queue.push(...(nodes.get(key)?.before ?? []));
  }
  return [...nodes].filter(([key, { world }]) => !canRest.has(key) && world.fault === '').map(([, { world }]) => world);
}
