import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Schema } from '../../api/schema.js';
import { errorOf } from '../../api/use-load.js';
import { type Field, fieldsOf, type Option, type Values, valueIn } from './schema-form.js';
import { say } from '../small.js';

/** An answer on its way. It keeps its message id while it is sent again, so that it counts once. */
export interface Given {
  readonly value: unknown;
  readonly messageId: string;
  /** The reason of the answer, for the audit log. */
  readonly why: string;
}

export interface Sending {
  /** Returns whether the answer has decided the question. @throws Error in words for the viewer */
  readonly send: (given: Given) => Promise<'answered' | 'recorded'>;
  readonly onAnswered: () => void;
  /** Changes where the same question is asked again: then it can be answered again. */
  readonly version?: string | undefined;
}

/** Characters of an answer that a toast repeats. */
const SHOWN_ANSWER = 120;

/** Input of a person so far, and its submission to the service. Nothing is filled in before. */
export class AnswerForm {
  readonly values = signal<Values>({});
  /** The text of a form without fields. */
  readonly text = signal('');
  readonly why = signal('');
  readonly failure = signal('');
  /** An answer is on its way, or was taken. */
  readonly isLocked = signal(false);
  /** The option of a decision that was chosen and is to be confirmed. */
  readonly asked = signal<{ readonly field: Field; readonly option: Option } | undefined>(undefined);
  private last = { text: '', messageId: '' };

  constructor(
    readonly fields: readonly Field[],
    private readonly schema: Schema | undefined,
    public sending: Sending,
  ) {}

  /** Sends the filled-in values. */
  give(): void {
    const { fields, values, text } = this;
    const isEmpty = fields.length > 0 ? Object.keys(values.peek()).length === 0 : text.peek().trim() === '';
    if (isEmpty) this.failure.value = 'Nothing is filled in.';
    else this.sent(fields.length > 0 ? valueIn(fields, values.peek()) : this.written()).catch(shownByForm);
  }

  /** Takes one of the options of a decision: one that agrees is sent, every other one is to be confirmed. */
  choose(field: Field, option: Option): void {
    if (this.isLocked.peek()) return;
    if (option.isYes) this.decide(field, option).catch(shownByForm);
    else this.asked.value = { field, option };
  }

  /** @throws Error in words for the viewer */
  decide(field: Field, { value, text }: Option): Promise<void> {
    return this.sent(valueIn(this.fields, { ...this.values.peek(), [field.name]: value }), text);
  }

  private async sent(value: unknown, words = wordsOf(value)): Promise<void> {
    if (this.isLocked.peek()) return;
    const text = JSON.stringify(value);
    if (this.last.text !== text) this.last = { text, messageId: crypto.randomUUID() };
    this.isLocked.value = true;
    this.failure.value = '';
    try {
      const { messageId } = this.last;
      const outcome = await this.sending.send({ value, messageId, why: this.why.peek() });
      say(
        outcome === 'answered'
          ? `Answered: ${words}`
          : `Your answer is recorded: ${words}. Another person must give the same one.`,
      );
    } catch (error) {
      this.isLocked.value = false;
      this.failure.value = errorOf(error).message;
      throw error;
    }
    // It stays locked: the next question is another one, or this one again.
    this.sending.onAnswered();
  }

  private written(): unknown {
    const text = this.text.peek();
    if (this.schema === undefined || this.schema.type === 'string') return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
}

export function useAnswer(schema: Schema | undefined, sending: Sending): AnswerForm {
  const form = useMemo(() => new AnswerForm(fieldsOf(schema), schema, sending), []);
  form.sending = sending;
  useEffect(() => {
    form.isLocked.value = false;
  }, [sending.version]);
  return form;
}

function shownByForm(): void {
  // The form shows its failure.
}

function wordsOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN_ANSWER ? `${text.slice(0, SHOWN_ANSWER)} …` : text;
}
