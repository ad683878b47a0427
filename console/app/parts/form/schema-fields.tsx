import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Foreign } from '../content/hostile-text.js';
import { visible } from '../../view/unseen.js';
import type { Field, Values } from './schema-form.js';

interface Props {
  readonly fields: readonly Field[];
  readonly values: Values;
  readonly onValues: (values: Values) => void;
}

/** The fields of a form and their values. */
export function SchemaFields({ fields, values, onValues }: Props): JSX.Element {
  return (
    <>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name]}
          onValue={(value) => {
            const { [field.name]: _before, ...rest } = values;
            onValues(value === undefined ? rest : { ...rest, [field.name]: value });
          }}
        />
      ))}
    </>
  );
}

/** The service reports the fault of a text that is no number. */
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
  const { name, label, kind, choices, isRequired } = field;
  const about = useAbout(field);
  switch (kind) {
    case 'yes-no':
      return <YesNo field={field} value={value} onValue={onValue} />;
    case 'choice':
      return (
        <div class="field">
          <label class="field">
            <Label field={field} />
            <select
              required={isRequired}
              aria-describedby={about.id}
              value={typeof value === 'string' ? value : ''}
              onChange={({ currentTarget }) => {
                onValue(currentTarget.value === '' ? undefined : currentTarget.value);
              }}
            >
              <option value="">Choose</option>
              {choices.map((choice) => (
                <option key={choice} value={choice}>
                  {visible(choice)}
                </option>
              ))}
            </select>
          </label>
          {about.element}
        </div>
      );
    case 'number':
    case 'text':
      return (
        <div class="field">
          <label class="field">
            <Label field={field} />
            <input
              type="text"
              name={name === '' ? label : name}
              autocomplete="off"
              inputMode={kind === 'number' ? 'decimal' : 'text'}
              required={isRequired}
              aria-describedby={about.id}
              value={typeof value === 'string' || typeof value === 'number' ? value : ''}
              onInput={({ currentTarget }) => {
                const written = currentTarget.value;
                onValue(written === '' ? undefined : kind === 'number' ? numberIn(written) : written);
              }}
            />
          </label>
          {about.element}
        </div>
      );
  }
}

/** Yes and no, none of which is chosen before a person has: an unchecked box would say no. */
function YesNo({ field, value, onValue }: InputProps): JSX.Element {
  const { name, isRequired } = field;
  const about = useAbout(field);
  const group = useId();
  const options = [['Yes', true], ['No', false], ...(isRequired ? [] : [['Not said', undefined] as const])] as const;
  return (
    <fieldset class="field plain" aria-describedby={about.id}>
      <legend class="small soft">
        <Label field={field} />
      </legend>
      <div class="row options">
        {options.map(([text, of]) => (
          <label key={text} class="row small">
            <input
              type="radio"
              name={`${group}-${name}`}
              required={isRequired}
              checked={value === of}
              onChange={() => {
                onValue(of);
              }}
            />
            {text}
          </label>
        ))}
      </div>
      {about.element}
    </fieldset>
  );
}

export function Label({ field: { name, label, isRequired } }: { readonly field: Field }): JSX.Element {
  const isOnly = name === '' && label === '';
  return (
    <span>
      {isOnly ? 'Your answer' : <Foreign text={label} />}
      {isRequired ? '' : ' (optional)'}
    </span>
  );
}

/** Description of a field by its schema, beside its name. */
function useAbout({ description, rule, preset }: Field): {
  readonly id: string | undefined;
  readonly element: JSX.Element | null;
} {
  const id = useId();
  const more = [rule, preset === undefined ? '' : `by default ${JSON.stringify(preset)}`].filter(
    (words) => words !== '',
  );
  if (description === undefined && more.length === 0) return { id: undefined, element: null };
  const element = (
    <small id={id} class="soft words">
      {description === undefined ? null : <Foreign text={description} />}
      {description === undefined || more.length === 0 ? '' : ' '}
      {more.length === 0 ? null : <Foreign text={`(${more.join('; ')})`} />}
    </small>
  );
  return { id, element };
}
