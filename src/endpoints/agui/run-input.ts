import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { answering } from '../../operations/open-forms.js';
import type { Run } from './frames.js';
import { type InterruptAddress, readInterruptId } from './interrupts.js';
import { PAGE_METADATA, type PageMessage } from './task-messages.js';

/** An entry of `resume`: the answer to an interrupt, or none. */
export interface Answer extends InterruptAddress {
  readonly interruptId: string;
  readonly isGiven: boolean;
  readonly payload: unknown;
}

/** The input of a run as the service reads it (AG-UI `RunAgentInput`); unknown members are ignored. */
export interface RunInput extends Run {
  readonly messages: readonly PageMessage[];
  readonly answers: readonly Answer[];
  readonly state: unknown;
  /** For the skill, as hints: nothing in it is a right. */
  readonly hints: JsonObject;
  /** `forwardedProps.parley`. */
  readonly own: {
    readonly input?: JsonObject;
    readonly isNewOnly: boolean;
    readonly asksNewTask: boolean;
    readonly onDisconnect?: unknown;
  };
}

/** Characters of an id: contexts and messages have at most 256. */
const MAX_ID = 200;
/** Entries, and bytes of hints together. */
const MAX_ENTRIES: Readonly<Record<string, number>> = { tools: 128, context: 64, resume: 64 };
const MAX_HINTS = 64 * 1024;

/** @throws A2AError InvalidParams with the path of every wrong member, before any task */
export function readRunInput(body: unknown): RunInput {
  if (!isJsonObject(body)) throw invalidParams([{ field: '', description: 'must be an object' }]);
  const read = new InputReader(body);
  const { protocolVersion: version, parentRunId, forwardedProps = {}, state } = body;
  const isKnown = version === undefined || (typeof version === 'string' && /^1\.\d+$/.test(version));
  read.require(isKnown, 'protocolVersion', 'must be a version 1.x');
  read.require(forwardedProps !== null, 'forwardedProps', 'must not be null');
  const { parley, ...forwarded } = isJsonObject(forwardedProps) ? forwardedProps : {};
  const { input, messages, newTask, onDisconnect } = isJsonObject(parley) ? parley : {};
  const asked: RunInput = {
    ...{ threadId: read.id('threadId'), runId: read.id('runId'), isOld: version === undefined },
    ...(parentRunId === undefined ? {} : { parentRunId: read.id('parentRunId') }),
    ...{ messages: read.messages(), answers: read.answers(), hints: read.hints(forwarded), state },
    own: {
      ...(isJsonObject(input) ? { input } : {}),
      ...{ isNewOnly: messages === 'new', asksNewTask: newTask === true, onDisconnect },
    },
  };
  read.end();
  return asked;
}

/** Reads the members of an input, and collects all that is wrong with them. */
class InputReader {
  private readonly violations: FieldViolation[] = [];

  constructor(private readonly body: JsonObject) {}

  require(holds: boolean, field: string, description: string): void {
    if (!holds) this.violations.push({ field, description });
  }

  /** @throws A2AError InvalidParams */
  end(): void {
    if (this.violations.length > 0) throw invalidParams(this.violations);
  }

  id(field: string): string {
    const value = this.body[field];
    const isId = typeof value === 'string' && value !== '' && value.length <= MAX_ID;
    this.require(isId, field, `must be a text of 1 to ${String(MAX_ID)} characters`);
    return String(value);
  }

  messages(): readonly PageMessage[] {
    const messages = this.list('messages', this.body.messages);
    messages.forEach(({ id, role }, at) => {
      const isNamed = typeof id === 'string' && typeof role === 'string';
      this.require(isNamed, `messages[${String(at)}]`, 'must have id and role');
    });
    return messages as readonly PageMessage[];
  }

  answers(): readonly Answer[] {
    const { resume = [] } = this.body;
    return this.list('resume', resume).map(({ interruptId, status, payload }, at) => {
      const field = `resume[${String(at)}]`;
      this.require(typeof interruptId === 'string', `${field}.interruptId`, 'must be a text');
      const isGiven = status === 'resolved';
      this.require(isGiven || status === 'cancelled', `${field}.status`, 'must be resolved or cancelled');
      const address = readInterruptId(String(interruptId)) ?? NO_ADDRESS;
      const answer = address.isWrapped && isJsonObject(payload) ? payload.value : payload;
      return { ...address, interruptId: String(interruptId), isGiven, payload: answer };
    });
  }

  hints(forwardedProps: JsonObject): JsonObject {
    const lists = ['context', 'tools'].flatMap((name) => {
      const { [name]: given = [] } = this.body;
      const entries = this.list(name, given);
      return entries.length === 0 ? [] : [[name, entries] as const];
    });
    const hasProps = Object.keys(forwardedProps).length > 0;
    const hints = { ...Object.fromEntries(lists), ...(hasProps ? { forwardedProps } : {}) };
    const isSmall = JSON.stringify(hints).length <= MAX_HINTS;
    this.require(isSmall, 'context', 'and tools and forwardedProps have at most 64 KiB');
    return hints;
  }

  private list(field: string, value: unknown): readonly JsonObject[] {
    const isList = Array.isArray(value) && value.every(isJsonObject);
    this.require(isList, field, 'must be a list of objects');
    if (!isList) return [];
    const most = MAX_ENTRIES[field] ?? Number.MAX_SAFE_INTEGER;
    this.require(value.length <= most, field, `has at most ${String(most)} entries`);
    return value;
  }
}

const NO_ADDRESS: InterruptAddress = { taskId: '', questionId: '', isListed: true, isWrapped: false };

/** A message, and the parts of the page's that it cannot have. */
interface ReadMessage {
  readonly message: Message;
  readonly skipped: readonly string[];
}

/** The newest words of the person as the message of a skill. @throws A2AError InvalidParams where there are none */
export function messageOf(input: RunInput, skillId: string, taskId?: string): ReadMessage {
  const { runId, threadId, parentRunId, messages, state, hints, own } = input;
  const users = messages.filter(({ role }) => role === 'user');
  const taken = own.isNewOnly ? users : users.slice(-1);
  const read = taken.flatMap(({ content }) => partsOf(content));
  const parts = read.filter((part): part is Part => typeof part !== 'string');
  if (own.input !== undefined) parts.push({ data: own.input });
  if (parts.length === 0)
    throw invalidParams([{ field: 'messages', description: 'have nothing that a skill could read' }]);
  const page = {
    messageIds: taken.map(({ id }) => id),
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...hints,
  };
  const memory = isJsonObject(state) && Object.keys(state).length > 0 ? { [CONTEXT_EXTENSION]: { memory: state } } : {};
  const metadata = { skillId, [PAGE_METADATA]: page, ...memory };
  const named = taskId === undefined ? {} : { taskId };
  return {
    message: { messageId: `agui:${runId}`, contextId: threadId, ...named, role: 'ROLE_USER', parts, metadata },
    skipped: read.filter((part) => typeof part === 'string'),
  };
}

/** The answers of a run as one message. */
export function answersMessage(answers: readonly Answer[], { threadId }: RunInput): Message {
  const given = answers.filter(({ isGiven }) => isGiven).map((answer) => ({ ...answer, value: answer.payload ?? '' }));
  return { ...answering('agui', given), contextId: threadId };
}

/** The parts of a page's content; the type of one that has no form in A2A. */
function partsOf(content: unknown): readonly (Part | string)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isJsonObject).map((part) => {
    const { type, text, source } = part;
    if (type === 'text' && typeof text === 'string') return { text };
    const file = isJsonObject(source)
      ? source
      : { value: part.data ?? part.url, mimeType: part.mimeType, type: part.data === undefined ? 'url' : 'data' };
    const { value, mimeType } = file;
    const about = {
      ...(typeof mimeType === 'string' ? { mediaType: mimeType } : {}),
      ...(typeof part.filename === 'string' ? { filename: part.filename } : {}),
    };
    if (typeof value !== 'string') return String(type);
    if (file.type === 'data') return { raw: value, ...about };
    return file.type === 'url' ? { url: value, ...about } : String(type);
  });
}
