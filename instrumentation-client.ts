import { z } from 'zod';

/*
 * Next runs this in the browser before any other module of ours. Schemas ask zod, when they are made, whether they may
 * compile themselves; its probe is `new Function`, which the content security policy refuses and reports.
 */
z.config({ jitless: true });
