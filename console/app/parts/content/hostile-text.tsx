import type { JSX } from 'preact';
import { indented } from '../../view/indented.js';
import { numberOf, PLAIN, splitUnseen } from '../../view/unseen.js';

/** Text of a caller or an agent: always text, with its hidden characters shown. */
export function Foreign({ text }: { readonly text: string }): JSX.Element {
  if (PLAIN.test(text)) return <>{text}</>;
  const parts = splitUnseen(text);
  return (
    <bdi>
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <span key={at} class="marked" title="A character that cannot be seen">
            {numberOf(part)}
          </span>
        ),
      )}
    </bdi>
  );
}

/** Why something was not done, in the words of the service, which may quote others; nothing where the text is empty. */
export function Problem({ text }: { readonly text: string }): JSX.Element | null {
  if (text === '') return null;
  return (
    <p class="note bad" role="alert">
      <Foreign text={text} />
    </p>
  );
}

/** JSON of a caller, indented. Numbers beyond what browsers hold stay as they were written, since the text is not parsed. */
export function JsonText({ text }: { readonly text: string }): JSX.Element {
  return (
    <pre class="code" tabIndex={0}>
      <Foreign text={indented(text)} />
    </pre>
  );
}
