'use client';

import { usePathname } from 'next/navigation';

const LOOK =
  'sr-only rounded bg-accent px-3 py-2 font-medium text-accent-fg focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50';
const FIELD = ':is(input, textarea, select, [contenteditable=true]):not(:disabled, [type=hidden])';

/** First on every page: past what each page has, and on a tool to the first field of its form. */
export function SkipLinks() {
  const isTool = /^\/tools\/[^/]/.test(usePathname());
  return (
    <>
      <a href="#content" className={LOOK}>
        Skip to the content
      </a>
      {isTool ? (
        <a
          href="#content"
          className={LOOK}
          onClick={(event) => {
            // The form comes later than the page; until then the link goes to the content.
            const field = document.querySelector<HTMLElement>(`[data-tool-form] ${FIELD}`);
            if (field === null) return;
            event.preventDefault();
            field.focus();
          }}
        >
          Skip to the form
        </a>
      ) : null}
    </>
  );
}
