import { configure } from '@testing-library/react';

/** Lazily loaded parts of a component are slow on a busy machine; a part that never loads still fails its test. */
configure({ asyncUtilTimeout: 30_000 });
