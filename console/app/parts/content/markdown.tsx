import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Block, blocksOf, type Inline } from '../../view/markdown.js';
import { Foreign } from './hostile-text.js';

/** Markdown of an agent as elements. Nothing is loaded for it: images stay text, and a link is opened at its host's name. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div class="markdown">
      {blocks.map((block, at) => (
        <OneBlock key={at} block={block} />
      ))}
    </div>
  );
}

function OneBlock({ block }: { readonly block: Block }): JSX.Element {
  switch (block.kind) {
    case 'heading':
      return (
        <p class={`heading level-${String(Math.min(3, block.level))}`}>
          <Inlines of={block.text} />
        </p>
      );
    case 'paragraph':
      return (
        <p>
          <Inlines of={block.text} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Inlines of={block.text} />
        </blockquote>
      );
    case 'code':
      return (
        <pre class="code" tabIndex={0}>
          <Foreign text={block.text} />
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, at) => (
        <li key={at}>
          <Inlines of={item} />
        </li>
      ));
      return block.isNumbered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <Table {...block} />;
    case 'line':
      return <hr />;
  }
}

function Table({ head, rows }: Extract<Block, { readonly kind: 'table' }>): JSX.Element {
  return (
    <div class="scroller" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at}>
                <Inlines of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => (
                <td key={at}>
                  <Inlines of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ of }: { readonly of: readonly Inline[] }): JSX.Element {
  return (
    <>
      {of.map((inline, at) => (
        <OneInline key={at} inline={inline} />
      ))}
    </>
  );
}

function OneInline({ inline }: { readonly inline: Inline }): JSX.Element {
  switch (inline.kind) {
    case 'text':
      return <Foreign text={inline.text} />;
    case 'code':
      return (
        <code>
          <Foreign text={inline.text} />
        </code>
      );
    case 'strong':
      return (
        <strong>
          <Inlines of={inline.of} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines of={inline.of} />
        </em>
      );
    case 'link':
      return (
        <>
          <Foreign text={inline.text} /> (
          <a href={inline.href} target="_blank" rel="noopener noreferrer">
            <Foreign text={inline.host} />
          </a>
          )
        </>
      );
  }
}
