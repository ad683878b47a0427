import { describe, expect, it } from '@jest/globals';
import { beginning } from './begin-arguments.js';
import { newRecord } from './new-record.js';
import type { NewTask } from '../record/new-task.js';
import { newTaskId, TaskKeys } from '../task.keys.js';
import { TASK_DEFAULTS } from '../task.options.js';

const JOURNAL = [['1:plan', '{"value":"é"}']] as const;
/** In bytes, with the field names. */
const JOURNAL_BYTES = 6 + 14;

function aNewTask(more: Partial<NewTask> = {}): NewTask {
  return {
    ...{ id: newTaskId(3), owner: 'o', tenant: 't', client: 'c', requestHash: 'h', dialect: '1.0', isCounted: true },
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] },
    routing: { skillId: 'echo' },
    ...more,
  };
}

/** The bytes that are added to the accounts of tenant and client: ARGV 19 of begin.lua. */
function countedBytes(input: NewTask): unknown {
  const record = newRecord(input, 'digest', 'nonce', 1_000);
  const options = { ...TASK_DEFAULTS, keyPrefix: 'p' };
  const target = { keys: new TaskKeys('p'), options, served: 0 };
  return beginning(target, { input, record, digest: 'digest', slot: undefined }).args.more?.size;
}

describe(newRecord.name, () => {
  it('counts the initial journal of a task, for the task and for its tenant and client', () => {
    const { fields, journalBytes } = newRecord(aNewTask({ journal: JOURNAL }), 'digest', 'nonce', 1_000);
    expect(journalBytes).toBe(JOURNAL_BYTES);
    expect(fields[fields.indexOf('jb') + 1]).toBe(String(JOURNAL_BYTES));
    const input = aNewTask();
    expect(Number(countedBytes({ ...input, journal: JOURNAL })) - Number(countedBytes(input))).toBe(JOURNAL_BYTES);
  });

  it('has no such field without an initial journal', () => {
    expect(newRecord(aNewTask(), 'digest', 'nonce', 1_000).fields).not.toContain('jb');
  });
});
