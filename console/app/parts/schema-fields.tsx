import type { JSX } from 'preact';
import type { Schema } from '../api/schema.js';
import { Check } from './check.js';
import { Foreign } from './hostile-text.js';

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

/** One field of a form. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'switch' | 'choice';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly preset: unknown;
}

/** The fields of a flat object; none where the schema has anything else: then the answer is written as JSON. */
export function fieldsOf(schema: Schema | undefined): readonly Field[] {
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
export function defaultsOf(fields: readonly Field[]): Readonly<Record<string, unknown>> {
  const preset = fields.map(({ name, kind, preset: value }) => [
    name,
    value ?? (kind === 'switch' ? false : undefined),
  ]);
  return Object.fromEntries(preset.filter(([, value]) => value !== undefined)) as Readonly<Record<string, unknown>>;
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
