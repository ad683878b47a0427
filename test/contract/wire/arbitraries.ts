import fc, { type Arbitrary } from 'fast-check';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import type { Artifact, Task, TaskStatus } from '@parley/protocol/model/task.js';
import { TASK_STATES } from '@parley/protocol/model/task-state.js';

/** Names that older dialects give a meaning of their own in part metadata; the loss is documented, not tested here. */
const TAKEN = ['mediaType', 'filename', 'data_part_compat', '__proto__'];

const text = fc.string({ maxLength: 20 });
const name = fc.string({ minLength: 1, maxLength: 8 });
const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const metadata: Arbitrary<JsonObject> = fc.dictionary(
  name.filter((key) => !TAKEN.includes(key)),
  json,
  { minKeys: 1, maxKeys: 3, noNullPrototype: true },
);
const base64 = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));

const described = {
  metadata,
  filename: name,
  mediaType: fc.constantFrom(
    'text/plain',
    'application/json',
    'image/svg+xml',
    'application/vnd.x.y+json; charset=utf-8',
  ),
};
const optional = { requiredKeys: [] };

function partOf(content: Arbitrary<object>): Arbitrary<Part> {
  return fc.tuple(content, fc.record(described, optional)).map(([one, rest]) => ({ ...one, ...rest }) as Part);
}

const part: Arbitrary<Part> = fc.oneof(
  partOf(fc.record({ text })),
  partOf(fc.record({ raw: base64 })),
  partOf(fc.record({ url: fc.webUrl() })),
  partOf(fc.record({ data: json })),
);

/** Any v1 message that the older dialects can carry. */
export const messages: Arbitrary<Message> = fc.record(
  {
    messageId: name,
    role: fc.constantFrom('ROLE_USER' as const, 'ROLE_AGENT' as const),
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    contextId: name,
    taskId: name,
    metadata,
    // An empty list is the same as none (A2A-JSON-07).
    extensions: fc.array(fc.webUrl(), { minLength: 1, maxLength: 2 }),
    referenceTaskIds: fc.array(name, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['messageId', 'role', 'parts'] },
);

const status = fc.record(
  {
    state: fc.constantFrom(...TASK_STATES),
    message: messages,
    timestamp: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  },
  { requiredKeys: ['state', 'timestamp'] },
) as Arbitrary<TaskStatus>;

const artifact = fc.record(
  {
    artifactId: name,
    name,
    description: text,
    parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    metadata,
    extensions: fc.array(fc.webUrl(), { maxLength: 2 }),
  },
  { requiredKeys: ['artifactId', 'parts'] },
) as Arbitrary<Artifact>;

/** Any v1 task. */
export const tasks: Arbitrary<Task> = fc.record(
  {
    id: name,
    contextId: name,
    status,
    artifacts: fc.array(artifact, { maxLength: 3 }),
    history: fc.array(messages, { maxLength: 3 }),
    metadata,
  },
  { requiredKeys: ['id', 'contextId', 'status'] },
);

const statusUpdates = fc.record(
  { taskId: name, contextId: name, status, metadata },
  { requiredKeys: ['taskId', 'contextId', 'status'] },
);
const artifactUpdates = fc.record(
  { taskId: name, contextId: name, artifact, append: fc.boolean(), lastChunk: fc.boolean(), metadata },
  { requiredKeys: ['taskId', 'contextId', 'artifact'] },
);

/** Any v1 stream event. */
export const events = fc.oneof(
  fc.record({ task: tasks }),
  fc.record({ message: messages }),
  fc.record({ statusUpdate: statusUpdates }),
  fc.record({ artifactUpdate: artifactUpdates }),
) as Arbitrary<StreamResponse>;
