import { describe, expect, it } from '@jest/globals';
import { RunBoard } from './run-board.js';

const run = { taskId: '0f9ab5a8-6a42-4b7d-9d65-3f3a2f1d8c11', fence: 7, nonce: 'n1', isLimited: true, skill: 'echo' };

describe(RunBoard.name, () => {
  it('shows another thread the runs and beats of this one', () => {
    const board = new RunBoard(2);
    const other = new RunBoard(2, board.memory);
    const remove = board.add(run);
    board.add({ ...run, fence: 8, isLimited: false });
    board.beat();
    expect(other.runs()).toEqual([run, { ...run, fence: 8, isLimited: false }]);
    expect(other.beats).toBe(1);
    remove();
    expect(other.runs()).toMatchObject([{ fence: 8 }]);
  });

  it('omits a run without room, until there is room again', () => {
    const board = new RunBoard(1);
    const remove = board.add(run);
    board.add({ ...run, fence: 8 })();
    expect(board.runs()).toHaveLength(1);
    remove();
    board.add({ ...run, fence: 9 });
    expect(board.runs()).toMatchObject([{ fence: 9 }]);
  });

  it('shows a run with the longest skill id as far as there is room', () => {
    const board = new RunBoard(1);
    board.add({ ...run, skill: 's'.repeat(1_000) });
    expect(board.runs()).toMatchObject([{ taskId: run.taskId, nonce: run.nonce, isLimited: true }]);
  });
});
