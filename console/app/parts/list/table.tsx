import type { ComponentChildren, JSX } from 'preact';

interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => ComponentChildren;
  /** `num`: at the right; `whole`: where a row is a block of lines, it has one of its own. */
  readonly look?: 'num' | 'whole' | 'mono' | 'tight';
}

interface Props<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** Stands below the rows. */
  readonly children?: ComponentChildren;
}

/**
 * A table that scrolls in a box of its own where it is too wide. On a phone each row is a block of lines, with the names of
 * its cells before them: that takes their roles from the elements, so they are stated.
 */
export function Table<T>({ label, columns, rows, keyOf, children }: Props<T>): JSX.Element {
  return (
    <section class="card scroller" tabIndex={0} aria-label={label}>
      <table role="table" class="folding">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, look }) => (
              <th key={name} role="columnheader" class={look === 'num' ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ name, look, cell }) => (
                <td key={name} role="cell" class={look === 'num' ? 'num tight' : look} data-name={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  );
}
