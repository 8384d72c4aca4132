import type { CheckAnswer, CheckQuestion } from './check-messages.ts';
import { READY } from './check-messages.ts';
import { checkPayload } from './check-payload.ts';

/*
 * A worker, because schemas are written by others and an endless pattern must not hang the page. Compiling needs `eval`, which
 * the content security policy of a worker can allow separately.
 */
addEventListener('message', (event: MessageEvent<CheckQuestion>) => postMessage(checkPayload(event.data)));
postMessage({ id: READY, issues: null } satisfies CheckAnswer);
