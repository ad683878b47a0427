import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { printableLine } from '@parley/protocol/json/printable.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { isInterrupted } from '@parley/protocol/model/task-state.js';
import { isKnownState, type RemoteTask } from '@parley/protocol/remote/remote-model.js';
import { answerOf, fieldsOf, type FormField, hintOf, questionsOf, type ShownQuestion } from '../message/answer-form.js';
import { CliError, EXIT, usageError } from '../context/cli-error.js';
import { collect, type CommandContext, callerCommand, run, waitingCommand } from '../context/command-context.js';
import { shellWord } from '../context/shell-word.js';
import { canResume } from '../message/stream-resume.js';
import { Waiting } from '../message/waiting.js';

/** `parley task answer`: answers a task's question, by the form of its schema. */
export function answerCommand(task: Command): void {
  const command = waitingCommand(callerCommand(task.command('answer <task-id> [text...]')))
    .description('answers the question of a task: by fields of its form, a text, or at the prompt')
    .option('--field <name=value>', 'a field of the form; repeatable', collect)
    .option('--question <id>', 'which question, where the task has asked several');
  command.action((id: string, words: readonly string[]) => run(command, (context) => answer(context, id, words)));
}

async function answer(context: CommandContext, id: string, words: readonly string[]): Promise<void> {
  const { session, settings, output, flags } = context;
  const client = await session.client();
  const { card } = await session.card();
  const question = chosen(await client.getTask({ id, historyLength: 0 }), flags.question);
  const parts = await partsOf(context, question, words);
  const waiting = new Waiting(client, {
    pollMs: settings.milliseconds('poll-interval'),
    timeoutMs: settings.milliseconds('timeout'),
    canStream: card.capabilities.streaming === true,
    canResume: canResume(card),
    onTask: () => undefined,
  });
  const named = question.id === undefined ? {} : { metadata: { [QUESTIONS_EXTENSION]: { questionId: question.id } } };
  output.reply(
    await waiting.send({ message: { messageId: randomUUID(), role: 'ROLE_USER', taskId: id, parts, ...named } }),
  );
}

/** @throws CliError where the task asks nothing, or several things of which none is named */
function chosen({ id, status }: RemoteTask, wanted: unknown): ShownQuestion {
  if (!isKnownState(status.state) || !isInterrupted(status.state)) {
    throw new CliError('UnsupportedOperationError', `Task ${id} asks nothing: it is ${status.state}`, EXIT.failure);
  }
  const questions = questionsOf(status);
  const [only] = questions;
  const question = wanted === undefined && questions.length === 1 ? only : questions.find((one) => one.id === wanted);
  if (question !== undefined) return question;
  const list = questions.map((one) => printableLine(`${one.id ?? '-'}: ${one.text}`)).join('\n');
  throw usageError(`Name one of the questions with --question:\n${list}`);
}

async function partsOf(
  context: CommandContext,
  { text, schema }: ShownQuestion,
  words: readonly string[],
): Promise<readonly Part[]> {
  const given = fieldFlags(context.flags.field);
  if (words.length > 0 && given.size > 0) throw usageError('Answer with a text or with fields, not with both');
  if (words.length > 0 && words.join('').trim() === '') throw usageError('The answer is empty');
  if (words.length > 0) return [{ text: words.join(' ') }];
  if (given.size > 0) {
    if (schema === undefined) throw usageError('The question has no form: answer with a text');
    return [{ data: answerOf(schema, given) }];
  }
  if (!context.streams.isTerminal) {
    const fields =
      schema === undefined
        ? []
        : fieldsOf(schema).map((field) => `--field ${shellWord(field.name)}=<${hintOf(field)}>`);
    throw usageError(`Without a terminal nothing is asked: give ${fields.join(' ') || 'a text'}`);
  }
  return prompted(context, text, schema);
}

/** Asks for each field at the terminal and repeats the question after an invalid value. */
async function prompted(
  { streams, output }: CommandContext,
  text: string,
  schema: JsonObject | undefined,
): Promise<readonly Part[]> {
  output.note(text);
  const lines = createInterface({ input: streams.input, terminal: false });
  const typed: AsyncIterator<string> = lines[Symbol.asyncIterator]();
  const read = async (words: string): Promise<string> => {
    output.note(words);
    const next = await typed.next();
    if (next.done === true) throw usageError('The answer ended before the form');
    return next.value.trim();
  };
  try {
    const fields = schema === undefined ? [] : fieldsOf(schema);
    if (schema === undefined || fields.length === 0) return [{ text: await written(read) }];
    for (;;) {
      const given = await filled(fields, read);
      const isUntouched = [...given.values()].every((typed) => typed === '');
      const answer = isUntouched ? { fault: 'Nothing was typed.' } : fitting(schema, given);
      if ('value' in answer) return [{ data: answer.value }];
      output.note(answer.fault);
    }
  } finally {
    lines.close();
  }
}

/** The key Enter alone is no answer. */
async function written(read: (words: string) => Promise<string>): Promise<string> {
  for (;;) {
    const text = await read('Answer:');
    if (text !== '') return text;
  }
}

async function filled(
  fields: readonly FormField[],
  read: (words: string) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const given = new Map<string, string>();
  for (const field of fields) given.set(field.name, await read(`${field.title} (${hintOf(field)}):`));
  return given;
}

function fitting(
  schema: JsonObject,
  given: ReadonlyMap<string, string>,
): { readonly value: JsonObject } | { readonly fault: string } {
  try {
    return { value: answerOf(schema, given) };
  } catch (error) {
    if (error instanceof CliError) return { fault: error.message };
    throw error;
  }
}

function fieldFlags(flag: unknown): ReadonlyMap<string, string> {
  const all: readonly unknown[] = Array.isArray(flag) ? flag : [];
  return new Map(
    all.map((one) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(String(one)) ?? [];
      if (name === undefined || value === undefined) throw usageError('--field is <name>=<value>');
      return [name, value];
    }),
  );
}
