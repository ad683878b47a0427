import type { ComponentChildren, JSX } from 'preact';

interface Props {
  readonly isOn: boolean;
  readonly isSmall?: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Its words. */
  readonly children: ComponentChildren;
}

/** A check box with its words. */
export function Check({ isOn, isSmall = false, onChange, children }: Props): JSX.Element {
  return (
    <label class={isSmall ? 'row small' : 'row'}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
        }}
      />
      {children}
    </label>
  );
}
