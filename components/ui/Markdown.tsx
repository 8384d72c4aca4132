import { marked } from 'marked';
import type { MarkedToken, Token, Tokens } from 'marked';
import { Fragment } from 'react';
import type { ReactNode } from 'react';
import { ScrollPre } from './ScrollPre.tsx';
import { cx } from './cx.ts';

/*
 * Markdown by people or tools. What can go wrong:
 * - it has HTML or scripts: nothing becomes HTML, tokens are rendered as React elements, and HTML as text;
 * - links run code (`javascript:`): only http and https are links;
 * - images reveal the reader to a third party: they are linked and never loaded;
 * - nesting is deep: it is rendered as text below a depth;
 * - the parser fails: the text is shown as written.
 */
const MAX_DEPTH = 12;

export interface MarkdownProps {
  text: string;
  /** Renders plain words, for example mentions; not those in code and links. */
  drawWords?: ((words: string) => ReactNode) | undefined;
  className?: string;
}

export function Markdown({ text, drawWords, className }: MarkdownProps) {
  const tokens = read(text);
  return (
    <div className={cx('foreign-markdown flex min-w-0 flex-col gap-2 break-words', className)}>
      {tokens === null ? <p className="foreign">{text}</p> : drawAll(tokens, { depth: 0, drawWords: drawWords ?? null })}
    </div>
  );
}

interface Drawing {
  readonly depth: number;
  readonly drawWords: ((words: string) => ReactNode) | null;
}

function read(text: string): readonly Token[] | null {
  try {
    return marked.lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

function drawAll(tokens: readonly Token[], how: Drawing): ReactNode {
  return withPlaces(tokens).map(({ item, at }) => (
    <Fragment key={at}>{how.depth > MAX_DEPTH ? item.raw : draw(item, { ...how, depth: how.depth + 1 })}</Fragment>
  ));
}

/** Tokens with their offset, which is their key. */
function withPlaces<Item extends { readonly raw: string }>(items: readonly Item[]): { readonly item: Item; readonly at: number }[] {
  let at = 0;
  return items.map((item) => {
    const place = { item, at };
    at += 1 + item.raw.length;
    return place;
  });
}

function draw(token: Token, how: Drawing): ReactNode {
  // Only extensions of the parser, of which there are none, make other tokens.
  const known = token as MarkedToken;
  const inner = (): ReactNode =>
    'tokens' in known && known.tokens !== undefined ? drawAll(known.tokens, how) : 'text' in known ? known.text : known.raw;
  switch (known.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'heading':
      return <p className="font-semibold">{inner()}</p>;
    case 'code':
      return (
        <ScrollPre label="Code" className="overflow-x-auto rounded border bg-subtle p-2 text-sm">
          <code>{known.text}</code>
        </ScrollPre>
      );
    case 'blockquote':
      return <blockquote className="flex flex-col gap-2 border-l-2 border-line-strong pl-3 text-muted">{inner()}</blockquote>;
    case 'list':
      return <List token={known} how={how} />;
    case 'hr':
      return <hr />;
    case 'strong':
      return <strong className="font-semibold">{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'codespan':
      return <code className="rounded-sm bg-hover px-1 text-[0.92em]">{known.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return (
        <SafeLink href={known.href}>
          {known.tokens === undefined ? known.text : drawAll(known.tokens, { ...how, drawWords: null })}
        </SafeLink>
      );
    case 'image':
      return <SafeLink href={known.href}>{known.text === '' ? known.href : known.text}</SafeLink>;
    case 'table':
      return <MarkdownTable token={known} how={how} />;
    case 'text':
      return known.tokens === undefined && how.drawWords !== null ? how.drawWords(known.text) : inner();
    case 'checkbox':
      return (
        <>
          <span role="img" aria-label={known.checked ? 'done' : 'to do'}>
            {known.checked ? '☑' : '☐'}
          </span>{' '}
        </>
      );
    case 'escape':
      return inner();
    case 'html':
    case 'list_item':
      return known.raw;
  }
}

function List({ token, how }: { token: Tokens.List; how: Drawing }) {
  const Kind = token.ordered ? 'ol' : 'ul';
  return (
    <Kind
      className={cx('flex flex-col gap-1 pl-5', token.ordered ? 'list-decimal' : 'list-disc')}
      {...(token.ordered && token.start !== '' ? { start: token.start } : {})}
    >
      {withPlaces(token.items).map(({ item, at }) => (
        <li key={at} className={item.task ? '-ml-5 list-none' : undefined}>
          {drawAll(item.tokens, how)}
        </li>
      ))}
    </Kind>
  );
}

function MarkdownTable({ token, how }: { token: Tokens.Table; how: Drawing }) {
  return (
    <div tabIndex={0} role="region" aria-label="Table" className="focus-inset overflow-x-auto">
      <table className="border-collapse text-left text-sm">
        <thead>
          <tr>
            {withColumns(token.header).map(({ cell, column }) => (
              <th key={column} scope="col" className={cx('border px-2 py-1 font-semibold', alignOf(cell))}>
                {drawAll(cell.tokens, how)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {withPlaces(token.rows.map((cells) => ({ cells, raw: cells.map(({ text }) => text).join('|') }))).map(({ item, at }) => (
            <tr key={at}>
              {withColumns(item.cells).map(({ cell, column }) => (
                <td key={column} className={cx('border px-2 py-1 align-top', alignOf(cell))}>
                  {drawAll(cell.tokens, how)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function withColumns(cells: readonly Tokens.TableCell[]): { readonly cell: Tokens.TableCell; readonly column: number }[] {
  return cells.map((cell, column) => ({ cell, column }));
}

function alignOf({ align }: Tokens.TableCell): string {
  return align === 'right' ? 'text-right' : align === 'center' ? 'text-center' : '';
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  if (!(/^https?:\/\//i.test(href) && URL.canParse(href))) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="link text-accent">
      {children}
    </a>
  );
}
