import { configure } from '@testing-library/react';

/** Lazily loaded parts of a component are slow on a busy machine; a part that never loads still fails its test. */
configure({ asyncUtilTimeout: 30_000 });

/** Without it, a component of a test that answers no requests asks whatever program listens on the document's port. */
globalThis.fetch = () => Promise.reject(new TypeError('This test answers no requests'));
