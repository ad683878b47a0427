import type { JSX } from 'preact';
import { Check } from './check.js';
import { Foreign } from './hostile-text.js';
import type { Field } from './schema-form.js';

/** The fields of a form and what was filled in. */
export function SchemaFields({
  fields,
  values,
  onValues,
}: {
  readonly fields: readonly Field[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly onValues: (values: Readonly<Record<string, unknown>>) => void;
}): JSX.Element {
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
        <Check isOn={value === true} onChange={onValue}>
          {name}
        </Check>
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
