import { describe, expect, it } from '@jest/globals';
import { stateWord } from '../state-word.js';
import { migratedTask, type MigratedTask } from './migrated-task.js';
import { OLD_FIELDS, type OldTask } from './old-task.js';

const NOW = 1_800_000_000_000;
const TIMES = { now: NOW, stuckTtlMs: 86_400_000, terminalTtlMs: 604_800_000 };

function oldTask(fields: Partial<OldTask> = {}): OldTask {
  const none = Object.fromEntries(OLD_FIELDS.map((name) => [name, ''])) as Record<(typeof OLD_FIELDS)[number], string>;
  return {
    ...none,
    ...{ id: '00000000-0000-4000-8000-000000000000', artifactNames: [], due: NOW - 1, dialect: '1.0' },
    ...{
      state: 'TASK_STATE_SUBMITTED',
      owner: 'acme/client:a',
      tenant: 'acme',
      client: 'a',
      skill: 'echo',
      context: 'c',
    },
    ...{ ms: '1799999999000', states: '{"state":"TASK_STATE_SUBMITTED","timestamp":"2027-01-15T07:59:59.000Z"}' },
    ...{ seq: '1', last: 'aaaa', fence: '1', turn: '1', attempts: '0', inbox: '0', vacant: String(NOW - 1000) },
    ...{ first: '{"messageId":"m"}', artifacts: '0' },
    ...fields,
  };
}

function migrated(fields: Partial<OldTask> = {}, limited: readonly string[] = []): MigratedTask {
  return migratedTask(oldTask(fields), TIMES, new Set(limited));
}

function fieldOf({ fields }: MigratedTask, name: string): string | undefined {
  const at = fields.findIndex((text, index) => index % 2 === 0 && text === name);
  return at === -1 ? undefined : fields[at + 1];
}

describe(migratedTask.name, () => {
  it('keeps the position of a run that waits, and when it is given up', () => {
    const task = migrated({ place: '7' });
    expect([task.position, task.due]).toEqual([7, NOW - 1000 + TIMES.stuckTtlMs]);
  });

  it('puts a run without a position ahead: it goes on with what has begun', () => {
    expect(migrated({ state: 'TASK_STATE_WORKING', due: NOW + 4_000 }).position).toBe(-1);
  });

  it('has a run that broke wait until its time', () => {
    const task = migrated({ state: 'TASK_STATE_WORKING', due: NOW + 9_000 });
    expect([task.position, task.due]).toEqual([undefined, NOW + 4_000]);
  });

  it('leaves the run of a stopped process to the sweep, when its lease ends', () => {
    const task = migrated({ state: 'TASK_STATE_WORKING', nonce: 'bbbb', lease: String(NOW + 500), attempts: '2' });
    expect([task.position, task.due]).toEqual([undefined, NOW + 500]);
    expect(stateWord(fieldOf(task, 's') ?? '')).toMatchObject({ nonce: 'bbbb', fence: 1, attempt: 2 });
  });

  it('lets no run begin that is to be canceled', () => {
    const task = migrated({ cancel: String(NOW - 10), place: '3', due: NOW + 9_990 });
    expect([task.position, task.due, fieldOf(task, 'k'), fieldOf(task, 'x')]).toEqual([
      ...[undefined, NOW + 9_990, String(NOW - 10), '1'],
    ]);
  });

  it('keeps ended and waiting tasks until the time that was set', () => {
    expect(migrated({ state: 'TASK_STATE_COMPLETED', due: NOW + 5 }).due).toBe(NOW + 5);
    expect(migrated({ state: 'TASK_STATE_INPUT_REQUIRED', due: NOW + 6 }).due).toBe(NOW + 6);
    expect(migrated({ state: 'TASK_STATE_FAILED', due: undefined }).due).toBe(NOW + TIMES.terminalTtlMs);
  });

  it('has messages that came during a run wait for the next turn', () => {
    const task = migrated({ state: 'TASK_STATE_WORKING', nonce: 'b', lease: '1', inbox: '2 4 5', taken: '1' });
    expect([fieldOf(task, 'q'), fieldOf(task, 'x')]).toEqual(['2 6 2', '1']);
    expect(fieldOf(migrated(), 'q')).toBeUndefined();
  });

  it('knows skills with a limit of their own, and their attempts', () => {
    const { traits } = migrated({ skill: 'slow', limit: '5' }, ['slow']);
    expect(traits).toMatchObject({ isLimited: true, maxAttempts: 5, isNamed: true, client: 'acme/a' });
    expect(migrated().traits.isLimited).toBe(false);
  });

  it('keeps what the first message asked for', () => {
    const rest = JSON.parse(
      fieldOf(migrated({ modes: '["text/plain"]', external: 'mine', subject: 's' }), 'j') ?? '',
    ) as unknown;
    expect(rest).toEqual({
      born: 1_799_999_999_000,
      client: 'a',
      subject: 's',
      modes: ['text/plain'],
      dialect: '1.0',
      external: 'mine',
    });
  });
});
