import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Question } from '../../api/questions.js';
import type { Schema } from '../../api/schema.js';
import { Confirm, isFirstClick } from '../dialog.js';
import { Foreign, Problem } from '../content/hostile-text.js';
import { Label, SchemaFields } from './schema-fields.js';
import { type Decision, decisionOf, type Option } from './schema-form.js';
import { Time } from '../small.js';
import { type AnswerForm, type Sending, useAnswer } from './use-answer.js';

interface Props extends Sending {
  readonly question: Question;
  /** Why the viewer may not answer. */
  readonly refusal?: string | undefined;
  /** Whether its words are to be read above already. */
  readonly isSaid?: boolean;
  /** Whether there is a field for the reason of the answer, which the audit log keeps. */
  readonly mayGiveReason?: boolean;
}

/**
 * A question and the form for its answer, made of its schema. Only a person decides (I20): nothing is filled in before, a
 * decision has a button for each of its values, and no key but one on that button presses it. The form is locked from the
 * first click on; the question after its answer has another form.
 */
export function QuestionForm({ question, refusal, isSaid = false, ...props }: Props): JSX.Element {
  const { text, schema } = question;
  const form = useAnswer(schema, props);
  const { fields } = form;
  const decision = decisionOf(fields);
  const element = useRef<HTMLFormElement>(null);
  const isLocked = form.isLocked.value || refusal !== undefined;
  const asked = form.asked.value;
  const rest = fields.filter((field) => field !== decision?.field);
  return (
    <>
      <form
        class="stack"
        ref={element}
        onSubmit={(event) => {
          event.preventDefault();
          // The key Enter in a field chooses no button of a decision.
          if (decision === undefined) form.give();
        }}
      >
        {isSaid ? null : (
          <div class="words">
            <Foreign text={text} />
          </div>
        )}
        <About question={question} />
        {refusal === undefined ? null : <p class="note">{refusal}</p>}
        <fieldset class="stack plain" disabled={isLocked}>
          {fields.length === 0 ? (
            <FreeAnswer schema={schema} form={form} />
          ) : (
            <SchemaFields
              fields={rest}
              values={form.values.value}
              onValues={(values) => {
                form.values.value = values;
              }}
            />
          )}
          {props.mayGiveReason === true ? (
            <label class="field">
              <span>Reason, for the audit log (optional)</span>
              <input
                type="text"
                maxLength={200}
                value={form.why.value}
                onInput={({ currentTarget }) => {
                  form.why.value = currentTarget.value;
                }}
              />
            </label>
          ) : null}
        </fieldset>
        <Problem text={form.failure.value} />
        {decision === undefined ? (
          <div>
            <button
              type="submit"
              class="button main-action"
              disabled={isLocked}
              onClick={(event) => {
                if (!isFirstClick(event)) event.preventDefault();
              }}
            >
              Send the answer
            </button>
          </div>
        ) : (
          <Buttons
            decision={decision}
            isLocked={isLocked}
            onChosen={(option) => {
              if (element.current?.reportValidity() === true) form.choose(decision.field, option);
            }}
          />
        )}
      </form>
      {asked === undefined ? null : (
        <Confirm
          title={`${asked.option.text}?`}
          action={asked.option.text}
          asksReason={false}
          onDone={() => {
            form.asked.value = undefined;
          }}
          act={() => form.decide(asked.field, asked.option)}
        >
          <div class="words small">
            <Foreign text={text.slice(0, SHOWN_QUESTION)} />
          </div>
          <p>The agent continues with this answer. It cannot be taken back.</p>
        </Confirm>
      )}
    </>
  );
}

/** Characters of a question that a dialog repeats. */
const SHOWN_QUESTION = 500;

function About({ question: { path, schema, expires } }: Pick<Props, 'question'>): JSX.Element | null {
  const { description } = schema ?? {};
  const hasWords = typeof description === 'string' && description !== '';
  if (path === undefined && expires === undefined && !hasWords) return null;
  return (
    <p class="small soft words">
      {hasWords ? <Foreign text={description} /> : null} {path === undefined ? null : <Foreign text={path} />}
      {expires === undefined ? null : (
        <>
          {' '}
          to be answered until <Time at={expires} exact />
        </>
      )}
    </p>
  );
}

function Buttons({
  decision: { field, options },
  isLocked,
  onChosen,
}: {
  readonly decision: Decision;
  readonly isLocked: boolean;
  readonly onChosen: (option: Option) => void;
}): JSX.Element {
  const isNamed = field.label !== '' && !/^(approved?|decision|verdict|answer)$/i.test(field.label);
  return (
    <div class="stack" role="group" aria-label="Decision">
      {isNamed ? (
        <p class="small">
          <Label field={{ ...field, isRequired: true }} />
          {field.description === undefined ? null : (
            <span class="soft">
              {': '}
              <Foreign text={field.description} />
            </span>
          )}
        </p>
      ) : null}
      <div class="row">
        {options.map((option) => (
          <button
            key={option.text}
            type="button"
            class={`button ${option.isYes ? 'main-action' : 'danger'}`}
            disabled={isLocked}
            onClick={(event) => {
              if (isFirstClick(event)) onChosen(option);
            }}
          >
            <Foreign text={option.text} />
          </button>
        ))}
      </div>
    </div>
  );
}

function FreeAnswer({ schema, form }: { readonly schema: Schema | undefined; readonly form: AnswerForm }): JSX.Element {
  return (
    <label class="field">
      <span>{schema === undefined || schema.type === 'string' ? 'Your answer' : 'Your answer, as JSON'}</span>
      <textarea
        rows={3}
        required
        value={form.text.value}
        onInput={({ currentTarget }) => {
          form.text.value = currentTarget.value;
        }}
      />
    </label>
  );
}
