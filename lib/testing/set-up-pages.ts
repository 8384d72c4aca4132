import { configure } from '@testing-library/react';

/** What a component loads when it is first opened takes its time on a machine that is busy; what never comes still fails its test. */
configure({ asyncUtilTimeout: 30_000 });
