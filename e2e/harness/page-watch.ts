import type { Page, Response } from '@playwright/test';

/**
 * Listens to everything a page does that nobody sees: errors in the console, exceptions, refused content, requests that
 * fail or leave the server, dialogs. What a test expects of these it says beforehand; the rest fails it.
 */
export interface PageWatch {
  /** From now on what fits is no finding. */
  expect(pattern: RegExp): void;
  /** What nobody expected. */
  findings(): readonly string[];
}

/** What the requests of a page end with while its server is away, whatever they were for and however far they had come. */
export const SERVER_AWAY =
  /ERR_(?:CONNECTION_(?:REFUSED|RESET|CLOSED|ABORTED)|SOCKET_NOT_CONNECTED|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE)/;

/** A guess of Chromium's about speed: on a busy machine a script that was fetched early runs some seconds later. */
const SLOW = /was preloaded using link preload but not used within a few seconds/;

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Content security policy: ' + event.violatedDirective + ' refused ' + event.blockedURI + ' ' + event.sample))`;

export async function watchPage(page: Page, address: string): Promise<PageWatch> {
  const found: string[] = [];
  const expected = [SLOW];
  const note = (finding: string) => {
    if (!expected.some((pattern) => pattern.test(finding))) found.push(finding);
  };

  await page.addInitScript(REPORT_VIOLATIONS);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      note(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => note(`exception: ${error.stack ?? error.message}`));
  page.on('crash', () => note('the page crashed'));
  page.on('dialog', (dialog) => {
    note(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== address) note(`request to elsewhere: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    // A page that is left, or a read that is no longer wanted, ends its own requests.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') note(`failed request: ${request.method()} ${request.url()} ${reason}`);
  });
  page.on('response', (response: Response) => {
    if (response.status() >= 400) note(`answer ${response.status()}: ${response.request().method()} ${response.url()}`);
  });

  return { expect: (pattern) => void expected.push(pattern), findings: () => found };
}
