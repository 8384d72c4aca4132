import { cx } from '#components/ui/cx.ts';

const LOOK =
  'sr-only rounded bg-accent px-3 py-2 font-medium text-accent-fg focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50';

/** First in the tab order: to the page content, and to the form of a tool. */
export function SkipLinks() {
  return (
    <>
      <a href="#content" className={LOOK}>
        Skip to the content
      </a>
      <a href="#tool-form" className={cx(LOOK, 'not-in-[:has(#tool-form)]:hidden')}>
        Skip to the form
      </a>
    </>
  );
}
