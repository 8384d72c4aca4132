import { expect as playwrightExpect } from '@playwright/test';
import type { Expect, Locator, Page } from '@playwright/test';

/**
 * Playwright's expect with faster waiting. At each failed attempt Playwright describes the accessibility tree of the page for an
 * error message that is rarely shown; that took a quarter of the time of the form tests. These matchers first wait for the
 * element or the URL without descriptions. A missing element then fails as usual.
 */

type State = 'visible' | 'hidden' | 'attached';
type Check = (subject: Locator | Page, ...given: unknown[]) => Promise<void>;
type Outcome = Promise<{ pass: boolean; message: () => string }>;

const WAIT_MS = 30_000;
/** Only for the error message. */
const DESCRIBE_MS = 1;

/** Matchers on an element's state. */
const STATES: Readonly<Record<string, State>> = { toBeVisible: 'visible', toBeHidden: 'hidden', toBeAttached: 'attached' };

/** Matchers that need an existing element. */
const CONTENT = [
  'toContainText',
  'toHaveText',
  'toHaveValue',
  'toHaveAttribute',
  'toBeEnabled',
  'toBeDisabled',
  'toBeChecked',
  'toBeFocused',
  'toBeInViewport',
  'toHaveAccessibleDescription',
  'toHaveAccessibleName',
  'toHaveCSS',
];

const playwrightCheck = (name: string, isNot: boolean): Check =>
  async function check(subject, ...given) {
    const assertions: unknown = isNot ? playwrightExpect(subject as Locator).not : playwrightExpect(subject as Locator);
    await (assertions as Record<string, (...rest: unknown[]) => Promise<void>>)[name]?.(...given);
  };

async function outcomeOf(isNot: boolean, check: () => Promise<void>): Outcome {
  try {
    await check();
    return { pass: !isNot, message: () => '' };
  } catch (error) {
    return { pass: isNot, message: () => (error instanceof Error ? error.message : String(error)) };
  }
}

function timeoutIn(given: readonly unknown[]): number {
  const last = given.at(-1);
  if (typeof last !== 'object' || last === null || !('timeout' in last)) return WAIT_MS;
  return typeof last.timeout === 'number' ? last.timeout : WAIT_MS;
}

async function reaches(locator: Locator, state: State, timeout: number): Promise<boolean> {
  try {
    await locator.waitFor({ state, timeout });
    return true;
  } catch {
    return false;
  }
}

async function reachesUrl(page: Page, expected: unknown, timeout: number): Promise<void> {
  const isReached = ({ href }: URL): boolean =>
    expected instanceof RegExp ? expected.test(href) : typeof expected !== 'string' || href === new URL(expected, href).href;
  await page.waitForURL(isReached, { timeout, waitUntil: 'commit' }).catch(() => undefined);
}

type Matcher<Subject> = (this: { isNot: boolean }, subject: Subject, ...given: unknown[]) => Outcome;
const matchers: Record<string, Matcher<Locator>> = {};

const toHaveURL: Matcher<Page> = function waitForUrl(page, ...given) {
  return outcomeOf(this.isNot, async () => {
    if (!this.isNot) await reachesUrl(page, given[0], timeoutIn(given));
    await playwrightCheck('toHaveURL', this.isNot)(page, ...given);
  });
};

for (const [name, state] of Object.entries(STATES))
  matchers[name] = function waitForState(locator, ...given) {
    return outcomeOf(this.isNot, async () => {
      if (this.isNot || given.some((option) => typeof option === 'object' && option !== null && !('timeout' in option)))
        return playwrightCheck(name, this.isNot)(locator, ...given);
      if (!(await reaches(locator, state, timeoutIn(given)))) await playwrightCheck(name, false)(locator, { timeout: DESCRIBE_MS });
    });
  };

for (const name of CONTENT)
  matchers[name] = function waitForElement(locator, ...given) {
    return outcomeOf(this.isNot, async () => {
      const isOne = !given.some((option) => Array.isArray(option));
      if (isOne && !(this.isNot && name === 'toBeInViewport')) await reaches(locator, 'attached', timeoutIn(given));
      await playwrightCheck(name, this.isNot)(locator, ...given);
    });
  };

export const expect = playwrightExpect.extend({ ...matchers, toHaveURL }) as unknown as Expect;
