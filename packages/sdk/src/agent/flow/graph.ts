import { SkillFailure } from '../../skill/skill.js';
import type { Values } from './branch-values.js';
import type { Known, Scope } from '../check/scope.js';
import { checkStep } from './check-step.js';
import { asked, type Facts, type Frame, named, NOTHING, type Step, take } from '../step.js';

/** The name of the way out of a graph. */
export const END = 'end';

/** Where a node leads: a node, or one of several that a pure function chooses; `end` leaves the graph. */
export type Edge<State extends object = Values> =
  string | { readonly to: readonly string[]; readonly choose: (state: State, facts: Facts) => string };

/** Steps as nodes, and the edges between them. */
export interface GraphOptions<State extends object = Values> {
  readonly as?: string;
  readonly start: string;
  readonly nodes: Readonly<Record<string, Step<State>>>;
  /** Where each node leads. */
  readonly edges: Readonly<Record<string, Edge<State>>>;
  /** The most visits of one node; needed for a graph with cycles. One more fails the task. */
  readonly maxVisits?: number;
}

/** Runs the nodes of a graph, from the start along the edges until the way out. Its value is that of the last node. */
export function graph<State extends object = Values>(options: GraphOptions<State>): Step<State> {
  const { as, start, nodes, edges, maxVisits = 1 } = options;
  return {
    name: 'graph',
    ...named(as),
    run: async (frame) => {
      const visits = new Map<string, number>();
      let outcome = NOTHING;
      let { facts } = frame;
      for (let at = start; at !== END;) {
        const visit = (visits.get(at) ?? 0) + 1;
        const node = nodes[at];
        if (node === undefined) throw new SkillFailure(`The graph has no node "${at}"`);
        if (visit > maxVisits) throw new SkillFailure(`The graph visits "${at}" more than ${String(maxVisits)} times`);
        visits.set(at, visit);
        outcome = await take(node, { ...frame, facts, isResult: false }, visit === 1 ? at : `${at}#${String(visit)}`);
        if (outcome.value !== undefined) facts = { ...facts, last: outcome.value };
        at = next(edges[at], at, { ...frame, facts });
      }
      return outcome;
    },
    check: (scope) => checkGraph(options, scope),
  };
}

function next<State extends object>(edge: Edge<State> | undefined, at: string, frame: Frame): string {
  if (edge === undefined) throw new SkillFailure(`No edge leads on from "${at}"`);
  if (typeof edge === 'string') return edge;
  const chosen = asked(edge.choose, frame);
  if (!edge.to.includes(chosen))
    throw new SkillFailure(`The edge of "${at}" leads to ${edge.to.join(', ')}, not to "${chosen}"`);
  return chosen;
}

function checkGraph<State extends object>(options: GraphOptions<State>, scope: Scope): Known {
  const { start, nodes, maxVisits } = options;
  const targets = new Map(Object.keys(nodes).map((name) => [name, targetsOf(options.edges[name])]));
  if (!targets.has(start)) scope.fault(`its start "${start}" is no node`);
  for (const [name, to] of targets) checkEdges(name, to, options, scope);
  const reached = reachable(start, targets);
  for (const name of targets.keys()) if (!reached.has(name)) scope.fault(`no way leads to the node "${name}"`);
  for (const name of reached) {
    if (targets.has(name) && !reachable(name, targets).has(END)) scope.fault(`no way leads from "${name}" to the end`);
  }
  const cyclic = [...targets.keys()].find((name) => targets.get(name)?.some((to) => reachable(to, targets).has(name)));
  if (cyclic !== undefined && !(Number.isInteger(maxVisits) && Number(maxVisits) > 0)) {
    scope.fault(`"${cyclic}" is part of a cycle: give the graph maxVisits`);
  }
  checkNodes(options, targets, scope);
  return { origin: 'the value of the graph' };
}

function checkEdges<State extends object>(
  name: string,
  to: readonly string[],
  { nodes }: GraphOptions<State>,
  scope: Scope,
): void {
  if (name === END) scope.fault(`"${END}" is the way out, and cannot be a node`);
  if (to.length === 0) scope.fault(`the node "${name}" has no edge`);
  const unknown = to.filter((target) => target !== END && !Object.hasOwn(nodes, target));
  for (const target of unknown) scope.fault(`the edge of "${name}" leads to "${target}", which is no node`);
}

/** A node may read the values of all others: one is certain where every way from the start passes a node that writes it. */
function checkNodes<State extends object>(
  { start, nodes }: GraphOptions<State>,
  targets: ReadonlyMap<string, readonly string[]>,
  scope: Scope,
): void {
  const written = Object.entries(nodes).map(([name, node]) => {
    const alone = scope.muted();
    checkStep(node, alone, { segment: name });
    return { name, alone };
  });
  const all = scope.muted();
  for (const { alone } of written) all.adopt(alone);
  const later = all.written;
  const last = { origin: 'the node before' };
  for (const [name, node] of Object.entries(nodes)) {
    const here = scope.inside('', { later, last });
    for (const [value, known] of later) {
      const writers = written.filter(({ alone }) => certainly(alone, value)).map((one) => one.name);
      if (!reachable(start, targets, new Set(writers)).has(name)) here.know(value, known);
    }
    checkStep(node, here, { segment: name, isOptional: true });
  }
  scope.adopt(all, true);
}

function targetsOf<State extends object>(edge: Edge<State> | undefined): readonly string[] {
  if (edge === undefined) return [];
  return typeof edge === 'string' ? [edge] : edge.to;
}

/** Whether a node always writes a value. */
function certainly({ written }: Scope, value: string): boolean {
  const known = written.get(value);
  return known !== undefined && known.isOptional !== true;
}

/** All nodes on ways from this one, itself included, that lead through none of `avoided`. */
function reachable(
  from: string,
  targets: ReadonlyMap<string, readonly string[]>,
  avoided: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    if (!avoided.has(name)) open.push(...(targets.get(name) ?? []));
  }
  return found;
}
