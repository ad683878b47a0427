import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Question } from '../api/questions.js';
import type { Schema } from '../api/schema.js';
import { errorOf } from '../api/use-load.js';
import { Foreign } from './hostile-text.js';
import { SchemaFields } from './schema-fields.js';
import { defaultsOf, fieldsOf } from './schema-form.js';
import { say, Time } from './small.js';

interface Props {
  readonly question: Question;
  /** Why the viewer may not answer. */
  readonly refusal?: string | undefined;
  /** Whether its words are to be read above already. */
  readonly isSaid?: boolean;
  /** Whether there is a field for the reason of the answer, which the audit log keeps. */
  readonly mayGiveReason?: boolean;
  /** Returns what to tell the viewer. @throws Error in words for the viewer */
  readonly send: (value: unknown, why: string) => Promise<string>;
  readonly onAnswered: () => void;
}

/** A question and the form for its answer, made of its schema. All of it is locked while an answer is on its way. */
export function QuestionForm({
  question,
  refusal,
  isSaid = false,
  mayGiveReason = false,
  send,
  onAnswered,
}: Props): JSX.Element {
  const { text, path, schema, expires } = question;
  const fields = fieldsOf(schema);
  const values = useSignal<Readonly<Record<string, unknown>>>(defaultsOf(fields));
  const words = useSignal('');
  const why = useSignal('');
  const isBusy = useSignal(false);
  const failure = useSignal('');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    failure.value = '';
    try {
      say(await send(fields.length > 0 ? values.value : valueOf(words.value, schema), why.value));
      onAnswered();
    } catch (error) {
      failure.value = errorOf(error).message;
    }
    isBusy.value = false;
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {isSaid ? null : (
        <div class="words">
          <Foreign text={text} />
        </div>
      )}
      {path === undefined && expires === undefined ? null : (
        <p class="small soft">
          {path === undefined ? null : <Foreign text={path} />}
          {expires === undefined ? null : (
            <>
              {' '}
              to be answered until <Time at={expires} exact />
            </>
          )}
        </p>
      )}
      {refusal === undefined ? null : <p class="note">{refusal}</p>}
      <fieldset class="stack plain" disabled={isBusy.value || refusal !== undefined}>
        {fields.length === 0 ? (
          <label class="field">
            <span>{schema === undefined ? 'Your answer' : 'Your answer, as JSON'}</span>
            <textarea
              rows={3}
              required
              value={words.value}
              onInput={({ currentTarget }) => {
                words.value = currentTarget.value;
              }}
            />
          </label>
        ) : (
          <SchemaFields
            fields={fields}
            values={values.value}
            onValues={(next) => {
              values.value = next;
            }}
          />
        )}
        {mayGiveReason ? (
          <label class="field">
            <span>Reason, for the audit log (optional)</span>
            <input
              type="text"
              maxLength={200}
              value={why.value}
              onInput={({ currentTarget }) => {
                why.value = currentTarget.value;
              }}
            />
          </label>
        ) : null}
      </fieldset>
      {failure.value === '' ? null : (
        <p class="note bad" role="alert">
          {failure.value}
        </p>
      )}
      <div>
        <button type="submit" class="button main-action" disabled={isBusy.value || refusal !== undefined}>
          Send the answer
        </button>
      </div>
    </form>
  );
}

function valueOf(text: string, schema: Schema | undefined): unknown {
  if (schema === undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
