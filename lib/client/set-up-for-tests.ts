import { configure } from '@testing-library/react';

/** Lazily loaded parts of a component are slow on a busy machine; a part that never loads still fails its test. */
configure({ asyncUtilTimeout: 30_000 });

/** Without it, a component of a test that answers no requests asks whatever program listens on the document's port. */
globalThis.fetch = () => Promise.reject(new TypeError('This test answers no requests'));

/**
 * A query by role computes the name of every candidate from its labels. happy-dom searches all of the document for them, each
 * time: seconds in a form of hundreds of fields. The list of all labels is cached until one changes.
 */
for (const { prototype } of [HTMLButtonElement, HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement]) {
  Object.defineProperty(prototype, 'labels', {
    configurable: true,
    get(this: HTMLElement) {
      return [...this.ownerDocument.querySelectorAll('label')].filter((label) =>
        label.htmlFor === '' ? label.contains(this) : label.htmlFor === this.id,
      );
    },
  });
}
