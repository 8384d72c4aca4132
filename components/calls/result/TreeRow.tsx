import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { cx } from '#components/ui/cx.ts';
import { inThousands } from '#components/ui/in-thousands.ts';
import { visibleJson } from '#components/ui/visible-text.ts';
import type { JsonRow } from './json-rows.ts';
import { isContainer, sizeOf } from './json-rows.ts';

export interface TreeRowProps {
  row: JsonRow;
  id: string;
  isChosen: boolean;
  /** What is searched for, in small letters; '' when nothing is. */
  word: string;
  onPress: (row: JsonRow, folds: boolean) => void;
}

const TEXT_MOST = 400;
const DEEPEST_SHOWN = 24;

/** One line of the tree. The keys are the tree's; a press chooses, one on the arrow opens or closes. */
export const TreeRow = memo(function TreeRow({ row, id, isChosen, word, onPress }: TreeRowProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree has the focus and the keys
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
      aria-selected={isChosen}
      {...(row.canOpen ? { 'aria-expanded': row.isOpen } : {})}
      onClick={(event) => onPress(row, event.target instanceof Element && event.target.closest('[data-fold]') !== null)}
      onDoubleClick={() => onPress(row, true)}
      style={{ paddingLeft: `${Math.min(row.level - 1, DEEPEST_SHOWN) * 0.875}rem` }}
      className={cx('flex min-w-0 cursor-default items-start pr-3 pl-1 hover:bg-hover', isChosen && 'bg-accent-soft hover:bg-accent-soft')}
    >
      <span data-fold className="inline-flex h-5 w-5 shrink-0 items-center justify-center pointer-coarse:w-8">
        {row.canOpen ? (
          <ChevronRight aria-hidden className={cx('size-3.5 text-muted transition-transform', row.isOpen && 'rotate-90')} />
        ) : null}
      </span>
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <RowKey row={row} word={word} />
        <RowValue row={row} word={word} />
      </span>
    </div>
  );
});

function RowKey({ row: { key, range }, word }: { row: JsonRow; word: string }) {
  if (range !== null)
    return (
      <span className="text-muted">
        [{range[0]} … {range[1]}]
      </span>
    );
  if (key === null) return null;
  return (
    <>
      <span className={typeof key === 'number' ? 'text-muted' : 'token-function'}>
        {typeof key === 'number' ? key : <Marked text={visibleJson(key)} word={word} />}
      </span>
      {': '}
    </>
  );
}

function RowValue({ row: { value, range, isOpen }, word }: { row: JsonRow; word: string }) {
  if (range !== null) return null;
  if (isContainer(value)) {
    const size = sizeOf(value);
    const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (size === 0) return `${before}${after}`;
    const what = Array.isArray(value) ? (size === 1 ? 'item' : 'items') : size === 1 ? 'property' : 'properties';
    return (
      <>
        <span aria-hidden>{isOpen ? before : `${before} … ${after}`}</span>{' '}
        <span className="text-muted">
          {inThousands(size)} {what}
        </span>
      </>
    );
  }
  if (typeof value === 'string') {
    const cut = value.length > TEXT_MOST;
    return (
      <>
        <span className="token-string">
          <Marked text={visibleJson(cut ? value.slice(0, TEXT_MOST) : value)} word={word} />
        </span>
        {cut ? <span className="text-muted"> … {inThousands(value.length)} characters</span> : null}
      </>
    );
  }
  return (
    <span className={typeof value === 'number' || typeof value === 'bigint' ? 'token-number' : 'token-keyword'}>
      <Marked text={visibleJson(value)} word={word} />
    </span>
  );
}

/** The first place of the word in a text, marked. */
function Marked({ text, word }: { text: string; word: string }) {
  const at = word === '' ? -1 : text.toLowerCase().indexOf(word);
  if (at === -1) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-sm bg-degraded-soft text-fg outline outline-degraded">{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </>
  );
}
