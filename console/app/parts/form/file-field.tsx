import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Problem } from '../content/hostile-text.js';
import { errorOf } from '../../api/use-load.js';
import { MAX_BUNDLE_BYTES, openBundle, type OpenedBundle, tooLarge } from '../../view/bundle.js';

/** Opens a bundle from a file of the user; it stays in the page and is sent nowhere. */
export function BundleField({
  label,
  onOpen,
}: {
  readonly label: string;
  readonly onOpen: (opened: OpenedBundle) => void;
}): JSX.Element {
  const failure = useSignal('');
  const open = async (file: File): Promise<void> => {
    failure.value = '';
    try {
      if (file.size > MAX_BUNDLE_BYTES) throw new Error(tooLarge());
      onOpen(await openBundle(file.name, await file.text()));
    } catch (error) {
      failure.value = errorOf(error).message;
    }
  };
  return (
    <div class="stack">
      <label class="field">
        <span>{label}</span>
        <input
          type="file"
          accept=".jsonl,application/x-ndjson"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void open(file);
          }}
        />
      </label>
      <Problem text={failure.value} />
    </div>
  );
}
