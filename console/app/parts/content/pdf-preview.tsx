import { useSignal } from '@preact/signals';
import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useNear } from '../list/near.js';

type Pages = FunctionComponent<{ readonly blob: Blob; readonly name: string }>;

/** The height of one that was not read yet: most files that follow each other are far from the window then. */
const UNREAD = '24rem';

/** A PDF, read once it is near the window, and released when it is far again: so few are open however many an artifact has. */
export function PdfPreview({ blob, name }: { readonly blob: Blob; readonly name: string }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { isNear, height } = useNear(box, { margin: '100% 0px' });
  const loaded = useSignal<{ readonly Of: Pages } | 'failed' | undefined>(undefined);
  useEffect(() => {
    if (!isNear || loaded.peek() !== undefined) return;
    import('../../pdf/pdf-pages.js').then(
      ({ PdfPages }) => {
        loaded.value = { Of: PdfPages };
      },
      () => {
        loaded.value = 'failed';
      },
    );
  }, [isNear]);
  const { value } = loaded;
  return (
    <div ref={box} class="stack" style={isNear ? {} : { height: height === 0 ? UNREAD : `${String(height)}px` }}>
      {value === 'failed' ? <p class="note">This PDF is not shown: load the page again to read it.</p> : null}
      {isNear && typeof value === 'object' ? <value.Of blob={blob} name={name} /> : null}
      {isNear && value === undefined ? (
        <p class="pdf-unread small soft" aria-busy="true">
          Reading the pages
        </p>
      ) : null}
    </div>
  );
}
