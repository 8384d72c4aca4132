import { CodeBlock } from './CodeBlock.tsx';
import { CodeText } from './CodeText.tsx';
import { cx } from './cx.ts';
import type { CodeLanguage } from './highlight.ts';
import { Tabs } from './Tabs.tsx';

export interface Snippet {
  readonly id: string;
  readonly name: string;
  /** Where to put the text. */
  readonly where: string;
  readonly text: string;
  readonly language: CodeLanguage | null;
}

/** The same text for several programs, each with the place where it goes. */
export function Snippets({ label, snippets, className }: { label: string; snippets: readonly Snippet[]; className: string }) {
  return (
    <Tabs
      label={label}
      tabs={snippets.map(({ id, name, where, text, language }) => ({
        id,
        label: name,
        content: (
          <div className={cx('flex flex-col gap-2 pt-3', className)}>
            <p className="text-sm text-muted">
              <CodeText text={where} />
            </p>
            <CodeBlock code={text} language={language} label={`For ${name}`} copyLabel={`Copy for ${name}`} wrap />
          </div>
        ),
      }))}
    />
  );
}
