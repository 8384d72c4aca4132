import type { Page, Response } from '@playwright/test';

/**
 * Collects problems of a page that tests do not see: console errors, exceptions, blocked content, failed or external requests, dialogs.
 * Problems that a test does not expect fail it.
 */
export interface PageWatch {
  /** Expects matching problems from now on. */
  expect(pattern: RegExp): void;
  /** Unexpected problems. */
  problems(): readonly string[];
}

/** Errors of requests while the server is down. */
export const SERVER_DOWN =
  /ERR_(?:CONNECTION_(?:REFUSED|RESET|CLOSED|ABORTED)|SOCKET_NOT_CONNECTED|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE)/;

/** A performance warning of Chromium: on a busy machine a preloaded script runs some seconds later. */
const SLOW = /was preloaded using link preload but not used within a few seconds/;

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Content security policy: ' + event.violatedDirective + ' refused ' + event.blockedURI + ' ' + event.sample))`;

export async function watchPage(page: Page, address: string): Promise<PageWatch> {
  const found: string[] = [];
  const expected = [SLOW];
  const note = (problem: string) => {
    if (!expected.some((pattern) => pattern.test(problem))) found.push(problem);
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
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== address) note(`external request: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    // Leaving a page or cancelling a read aborts its requests.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') note(`failed request: ${request.method()} ${request.url()} ${reason}`);
  });
  page.on('response', (response: Response) => {
    if (response.status() >= 400) note(`answer ${response.status()}: ${response.request().method()} ${response.url()}`);
  });

  return { expect: (pattern) => void expected.push(pattern), problems: () => found };
}
