import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Question } from '../api/questions.js';
import type { Schema } from '../api/schema.js';
import { errorOf } from '../api/use-load.js';
import { Foreign } from './hostile-text.js';
import { say, Time } from './small.js';

interface Props {
  readonly question: Question;
  /** Why the viewer may not answer. */
  readonly refusal?: string | undefined;
  /** Whether there is a field for the reason of the answer, which the audit log keeps. */
  readonly mayGiveReason?: boolean;
  /** Returns what to tell the viewer. @throws Error in words for the viewer */
  readonly send: (value: unknown, why: string) => Promise<string>;
  readonly onAnswered: () => void;
}

/** A question and the form for its answer, made of its schema. All of it is locked while an answer is on its way. */
export function QuestionForm({ question, refusal, mayGiveReason = false, send, onAnswered }: Props): JSX.Element {
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
  const set = (name: string, value: unknown): void => {
    const { [name]: _before, ...rest } = values.value;
    values.value = value === undefined ? rest : { ...rest, [name]: value };
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <div class="words">
        <Foreign text={text} />
      </div>
      <p class="small soft">
        {path === undefined ? null : <Foreign text={path} />}
        {expires === undefined ? null : (
          <>
            {' '}
            to be answered until <Time at={expires} exact />
          </>
        )}
      </p>
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
          fields.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={values.value[field.name]}
              onValue={(value) => {
                set(field.name, value);
              }}
            />
          ))
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

interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'switch' | 'choice';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly preset: unknown;
}

/** The fields of a flat object; none where the schema has anything else: then the answer is written as JSON. */
function fieldsOf(schema: Schema | undefined): readonly Field[] {
  const properties = Object.entries(schema?.properties ?? {});
  const fields = properties.map(([name, member]): Field | undefined => {
    const kind = kindOf(member);
    if (kind === undefined) return undefined;
    const label = typeof member.title === 'string' ? member.title : name;
    const choices = kind === 'choice' ? (member.enum ?? []).map(String) : [];
    return {
      name,
      label,
      kind,
      choices,
      isRequired: schema?.required?.includes(name) === true,
      preset: member.default,
    };
  });
  const known = fields.filter((field) => field !== undefined);
  return known.length === fields.length ? known : [];
}

function kindOf({ type, enum: choices }: Schema): Field['kind'] | undefined {
  if (choices !== undefined) return choices.every((choice) => typeof choice === 'string') ? 'choice' : undefined;
  if (type === 'boolean') return 'switch';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'string' ? 'text' : undefined;
}

/** A switch that is not touched says no: an answer must not lack what the form shows. */
function defaultsOf(fields: readonly Field[]): Readonly<Record<string, unknown>> {
  const preset = fields.map(({ name, kind, preset: value }) => [
    name,
    value ?? (kind === 'switch' ? false : undefined),
  ]);
  return Object.fromEntries(preset.filter(([, value]) => value !== undefined)) as Readonly<Record<string, unknown>>;
}

function valueOf(text: string, schema: Schema | undefined): unknown {
  if (schema === undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The service says what is wrong with a text that is no number. */
function numberIn(text: string): number | string {
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

interface InputProps {
  readonly field: Field;
  readonly value: unknown;
  readonly onValue: (value: unknown) => void;
}

function FieldInput({ field, value, onValue }: InputProps): JSX.Element {
  const { label, kind, choices, isRequired } = field;
  const name = <Foreign text={label} />;
  switch (kind) {
    case 'switch':
      return (
        <label class="row">
          <input
            type="checkbox"
            checked={value === true}
            onChange={({ currentTarget }) => {
              onValue(currentTarget.checked);
            }}
          />
          {name}
        </label>
      );
    case 'choice':
      return (
        <label class="field">
          <span>{name}</span>
          <select
            required={isRequired}
            value={typeof value === 'string' ? value : ''}
            onChange={({ currentTarget }) => {
              onValue(currentTarget.value === '' ? undefined : currentTarget.value);
            }}
          >
            <option value="">Choose</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        </label>
      );
    case 'number':
    case 'text':
      return (
        <label class="field">
          <span>{name}</span>
          <input
            type="text"
            inputMode={kind === 'number' ? 'decimal' : 'text'}
            required={isRequired}
            value={typeof value === 'string' || typeof value === 'number' ? value : ''}
            onInput={({ currentTarget }) => {
              const written = currentTarget.value;
              onValue(written === '' ? undefined : kind === 'number' ? numberIn(written) : written);
            }}
          />
        </label>
      );
  }
}
