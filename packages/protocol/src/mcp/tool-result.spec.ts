import { describe, expect, it } from '@jest/globals';
import { CREATED_AT, SERVICE_FAULT } from '../extension/marks.js';
import type { Part } from '../model/message.js';
import type { Task } from '../model/task.js';
import type { TaskState } from '../model/task-state.js';
import { clientCapabilities } from './client-capabilities.js';
import { readArtifactUri } from './resource-uri.js';
import { detailedTask, mcpStatusOf } from './task-view.js';
import { NO_CONTRACT, resultOfMessage, resultOfTask } from './tool-result.js';

const ID = '0b3f6f60-0000-4000-8000-000000000000';

function aTask(state: TaskState, parts: readonly Part[] = [], words = ''): Task {
  const message = { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: words }] } as const;
  return {
    id: ID,
    contextId: 'c',
    status: { state, timestamp: '2026-11-22T00:00:01.000Z', ...(words === '' ? {} : { message }) },
    ...(parts.length === 0 ? {} : { artifacts: [{ artifactId: 'a b', parts }] }),
    metadata: { skillId: 's', [CREATED_AT]: '2026-11-22T00:00:00.000Z' },
  };
}

const raw = (bytes: number, mediaType: string): Part => ({
  raw: Buffer.alloc(bytes, 65).toString('base64'),
  mediaType,
});

describe(resultOfTask.name, () => {
  it('makes blocks of parts, and links of large files (MCP-SRV-6)', () => {
    const parts = [
      { text: 'words' },
      raw(10, 'image/png'),
      raw(10, 'audio/wav'),
      raw(10, 'text/csv'),
      raw(10, 'application/pdf'),
      raw(70_000, 'application/pdf'),
      { url: 'https://files.example/a.pdf', filename: 'a.pdf' },
      { data: { n: 1 } },
    ];
    const { content } = resultOfTask(aTask('TASK_STATE_COMPLETED', parts), NO_CONTRACT);
    expect(content.map(({ type }) => type)).toEqual([
      ...['text', 'image', 'audio', 'resource', 'resource', 'resource_link', 'resource_link', 'text'],
    ]);
    expect(content[3]).toMatchObject({ resource: { mimeType: 'text/csv', text: 'AAAAAAAAAA' } });
    expect(content[4]).toMatchObject({ resource: { blob: expect.any(String) } });
    const [link] = content.filter((block) => block.type === 'resource_link');
    expect(readArtifactUri(link?.uri ?? '')).toEqual({ taskId: ID, artifactId: 'a b', part: 5 });
    expect(content[6]).toEqual({ type: 'resource_link', uri: 'https://files.example/a.pdf', name: 'a.pdf' });
  });

  it('links content beyond a mebibyte', () => {
    const half = { text: 'x'.repeat(600_000) };
    const { content } = resultOfTask(aTask('TASK_STATE_COMPLETED', [half, half]), NO_CONTRACT);
    expect(content.map(({ type }) => type)).toEqual(['text', 'resource_link']);
  });

  it('gives the data of a structured tool beside its text (MCP-SRV-3)', () => {
    const task = aTask('TASK_STATE_COMPLETED', [{ text: 'one' }, { data: { n: 1 } }]);
    expect(resultOfTask(task, { isStructured: true })).toMatchObject({
      structuredContent: { n: 1 },
      content: [{ text: 'one' }, { text: '{"n":1}' }],
    });
    expect(resultOfTask(task, { isStructured: true, artifactId: 'other' })).toMatchObject({ isError: true });
    expect(resultOfTask(aTask('TASK_STATE_COMPLETED'), { isStructured: true })).toMatchObject({ isError: true });
  });

  it('is an error that a model can read, for a refusal and for a failure of the skill', () => {
    for (const state of ['TASK_STATE_REJECTED', 'TASK_STATE_FAILED'] as const) {
      expect(resultOfTask(aTask(state, [], 'Why'), { isStructured: true })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'Why' }],
      });
    }
  });

  it('gives a direct answer without a task', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', contextId: 'c', parts: [{ text: 'hi' }] } as const;
    expect(resultOfMessage(message, NO_CONTRACT)).toEqual({
      content: [{ type: 'text', text: 'hi' }],
      _meta: { 'parley/contextId': 'c' },
    });
  });
});

describe(mcpStatusOf.name, () => {
  const ofService = (task: Task): Task => {
    const { message } = task.status;
    if (message === undefined) throw new Error('The task has no message');
    return { ...task, status: { ...task.status, message: { ...message, metadata: { [SERVICE_FAULT]: true } } } };
  };

  it.each([
    ['TASK_STATE_SUBMITTED', 'working'],
    ['TASK_STATE_WORKING', 'working'],
    ['TASK_STATE_INPUT_REQUIRED', 'input_required'],
    ['TASK_STATE_AUTH_REQUIRED', 'input_required'],
    ['TASK_STATE_COMPLETED', 'completed'],
    ['TASK_STATE_REJECTED', 'completed'],
    ['TASK_STATE_FAILED', 'completed'],
    ['TASK_STATE_CANCELED', 'cancelled'],
  ] as const)('shows %s as %s (MCP-STATE-1)', (state, status) => {
    expect(mcpStatusOf(aTask(state))).toBe(status);
  });

  it('shows a task that the service has failed as failed, with its reference', () => {
    const task = ofService(aTask('TASK_STATE_FAILED', [], 'Reference: 1'));
    const options = { ttlMs: 1000, pollIntervalMs: 100 };
    const view = { contract: NO_CONTRACT, capabilities: clientCapabilities({}) };
    expect(detailedTask(task, options, view)).toEqual({
      ...{ taskId: ID, status: 'failed', statusMessage: 'Reference: 1', ttlMs: 1000, pollIntervalMs: 100 },
      ...{ createdAt: '2026-11-22T00:00:00.000Z', lastUpdatedAt: '2026-11-22T00:00:01.000Z' },
      error: { code: -32603, message: 'Reference: 1' },
    });
  });
});
