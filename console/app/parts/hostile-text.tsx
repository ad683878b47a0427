import type { JSX } from 'preact';
import { indented } from '../indented.js';

/**
 * Characters that change how text around them is shown, or that nobody sees: controls, directional marks and overrides,
 * zero-width and tag characters. An agent could make a sum or an address look like another one with them.
 */
/* eslint-disable no-control-regex -- those are what is looked for */
const UNSEEN =
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}])/u;
/* eslint-enable no-control-regex */

/** Text that cannot change how anything around it is shown. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Text of a caller or an agent: always text, and what it hides is shown. */
export function Foreign({ text }: { readonly text: string }): JSX.Element {
  if (PLAIN.test(text)) return <>{text}</>;
  const parts = text.split(UNSEEN);
  return (
    <bdi>
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <span key={at} class="marked" title="A character that cannot be seen">
            {`U+${(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`}
          </span>
        ),
      )}
    </bdi>
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
