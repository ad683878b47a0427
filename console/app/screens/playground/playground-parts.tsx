import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Message, Part } from '../../api/content.js';
import { bytesText } from '../../view/format.js';
import { Parts } from '../../parts/content/content.js';
import { Foreign } from '../../parts/content/hostile-text.js';
import { StateBox } from '../../parts/states.js';
import { SchemaFields } from '../../parts/form/schema-fields.js';
import type { Field } from '../../parts/form/schema-form.js';

/** How a message is sent. */
export const WAYS = { stream: 'Stream', wait: 'Wait for the answer', leave: 'Return at once' } as const;
export type Way = keyof typeof WAYS;

/** A file that is sent as it is. */
export interface ChosenFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly base64: string;
}

/** Bytes of all files of a message: the service refuses larger bodies by itself. */
const MAX_BYTES = 8 * 1_048_576;

/** Reads files. @throws Error in words for the viewer where they are too large */
export async function readFiles(files: readonly File[]): Promise<readonly ChosenFile[]> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_BYTES) throw new Error(`The files have ${bytesText(bytes)}; send at most ${bytesText(MAX_BYTES)}.`);
  return Promise.all(
    files.map(async (file) => ({ name: file.name, type: file.type, bytes: file.size, base64: await base64Of(file) })),
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      resolve(typeof reader.result === 'string' ? reader.result.slice(reader.result.indexOf(',') + 1) : '');
    };
    reader.onerror = () => {
      reject(new Error(`${file.name} cannot be read.`));
    };
    reader.readAsDataURL(file);
  });
}

/** Parts of a message: its text, the form of the skill's contract, its files. @param data undefined for none */
export function partsOf(text: string, data: unknown, files: readonly ChosenFile[]): readonly Part[] {
  return [
    ...(text === '' ? [] : [{ text }]),
    ...(data === undefined ? [] : [{ data }]),
    ...files.map(({ name, type, base64 }) => {
      return { raw: base64, filename: name, ...(type === '' ? {} : { mediaType: type }) };
    }),
  ];
}

/** The files of a message, chosen or dropped. */
export function Files({
  files,
  onFiles,
}: {
  readonly files: readonly ChosenFile[];
  readonly onFiles: (files: readonly File[]) => void;
}): JSX.Element {
  return (
    <label
      class="field drop"
      onDragOver={(event) => {
        event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <span>Files (choose or drop)</span>
      <input
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
        }}
      />
      {files.map(({ name, bytes }) => (
        <span key={name} class="small soft">
          <Foreign text={name} />, {bytesText(bytes)}
        </span>
      ))}
    </label>
  );
}

/** Messages that the skill gives as examples. */
export function Examples({
  of: examples = [],
  onChosen,
}: {
  readonly of: readonly string[] | undefined;
  readonly onChosen: (example: string) => void;
}): JSX.Element | null {
  if (examples.length === 0) return null;
  return (
    <div class="chips">
      {examples.slice(0, 3).map((example) => (
        <button
          key={example}
          type="button"
          class="chip tone-all"
          onClick={() => {
            onChosen(example);
          }}
        >
          {example.slice(0, 40)}
        </button>
      ))}
    </div>
  );
}

/** The last words of the agent. */
export function Said({ message }: { readonly message: Message | undefined }): JSX.Element | null {
  return message === undefined ? null : (
    <article class="said agent">
      <Parts parts={message.parts} />
    </article>
  );
}

/** The form of a skill's contract. */
export function ContractForm({
  fields,
  values,
}: {
  readonly fields: readonly Field[];
  readonly values: Signal<Readonly<Record<string, unknown>>>;
}): JSX.Element {
  return (
    <fieldset class="stack plain">
      <legend class="small soft">What the contract of the skill asks for</legend>
      <SchemaFields
        fields={fields}
        values={values.value}
        onValues={(next) => {
          values.value = next;
        }}
      />
    </fieldset>
  );
}

/** One of some ways to do something, by its words. */
export function Choice<Name extends string>({
  label,
  options,
  value,
}: {
  readonly label: string;
  readonly options: Readonly<Record<Name, string>>;
  readonly value: Signal<Name>;
}): JSX.Element {
  const names = Object.keys(options) as Name[];
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value.value}
        onChange={({ currentTarget }) => {
          value.value = names.find((name) => name === currentTarget.value) ?? value.value;
        }}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {options[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

export function MetadataField({ text }: { readonly text: Signal<string> }): JSX.Element {
  return (
    <label class="field">
      <span>Metadata (JSON object, optional)</span>
      <textarea
        rows={2}
        class="mono"
        placeholder='{"from": 5}'
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
    </label>
  );
}

/** Why there is no playground. */
export function NotShared(): JSX.Element {
  return (
    <section class="card">
      <StateBox icon="lock" title="Not with this ownership of tasks">
        <p class="soft">
          With <code>OWNERSHIP=client</code> all people of the console would share the tasks that they begin here. Set{' '}
          <code>OWNERSHIP=client-and-user</code> to use the playground.
        </p>
      </StateBox>
    </section>
  );
}
