import type { INestApplicationContext } from '@nestjs/common';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { type ModelUse, type TreeFacts, TreeInspector, type TreeNode } from '../../../tasks/lists/tree-inspector.js';
import { OperatorError } from '../operator-error.js';
import { counted, oneLine, type Output, table } from '../output.js';
import { stateName } from './tasks.js';

/** The tree of a task: every task with its state and its wait. @throws OperatorError for an unknown one */
export async function showTree(service: INestApplicationContext, id: string): Promise<Output> {
  const tree = await service.get(TreeInspector, { strict: false }).of(id);
  if (tree === undefined) throw new OperatorError(`Unknown task: ${id}`);
  return { json: tree, text: textOf(tree) };
}

function textOf({ nodes, isCut, allowed, models }: TreeFacts): string {
  const rows = nodes.map((node) => [
    `${'  '.repeat(node.depth)}${node.key === '' ? node.skill : node.key}`,
    ...[stateName(node.state), waitsFor(node), node.since, node.id],
    ...[reasonText(node)],
  ]);
  const limits =
    allowed === undefined
      ? []
      : [
          `It may have ${counted(allowed.tasks, 'task')}, ${String(allowed.children)} of one parent, on ${counted(allowed.levels, 'level')}.`,
        ];
  const cut = isCut ? [`Only the first ${String(nodes.length)} tasks are shown.`] : [];
  const open = nodes.filter(({ state }) => !isTerminal(state)).length;
  return [
    table(['task', 'state', 'waits', 'since', 'id', 'reason'], rows),
    `${counted(nodes.length, 'task')}, ${String(open)} open.`,
    ...limits,
    ...(models === undefined ? [] : [usedText(models)]),
    ...cut,
  ].join('\n');
}

function reasonText({ reason = '', fault }: TreeNode): string {
  if (fault === undefined || fault.message === reason) return oneLine(reason);
  return oneLine(`${reason} (${fault.type}: ${fault.message})`);
}

function waitsFor({ isParked, questions, answerBy }: TreeNode): string {
  if (questions > 0) return `${counted(questions, 'question')}${answerBy === undefined ? '' : `, until ${answerBy}`}`;
  return isParked ? 'parked' : '';
}

function usedText({ tokens, micros, calls, most }: ModelUse): string {
  const cost = micros === 0 ? '' : `, cost ${(micros / 1_000_000).toFixed(4)}`;
  return `Language models: ${String(tokens)} of ${String(most.tokens)} tokens, ${String(calls)} of ${String(most.calls)} calls${cost}.`;
}
