import { PRESENCE_LASTS_MS } from '#lib/contract/limits.ts';
import type { Presence, PresenceNote, PresentDoing, PresentPerson } from '#lib/contract/failure-group.ts';

/**
 * Who has the page of a failure open, in memory only. What can go wrong:
 * - a page closes without a message: its entry expires after PRESENCE_LASTS_MS, and the other pages are notified;
 * - a person has several pages: each has its own entry, the person is shown once;
 * - a script reports new pages without end: only the newest few of a person count;
 * - pages notify each other in a loop: only a change of who is present, or of their activity, is sent.
 */
export interface FailurePresence {
  /** Returns the other people present. */
  note(groupId: string, person: PresentMember, note: PresenceNote): Presence;
  /** A session ended; removes the entries of its pages. */
  endSession(sessionId: string): void;
  close(): void;
}

export interface PresentMember {
  readonly id: string;
  readonly name: string;
  readonly initials: string;
  readonly sessionId: string;
}

export interface FailurePresenceOptions {
  /** Notifies that the people present, or their activity, changed. */
  notify(groupId: string): void;
  monotonicNow?(): number;
  /** For all people together. */
  readonly mostPages?: number;
}

interface Page {
  readonly groupId: string;
  readonly person: PresentMember;
  readonly doing: PresentDoing;
  readonly until: number;
}

const PAGES_OF_ONE = 10;
const PAGES_OF_ALL = 2_000;
const SHOWN = 50;

export function createFailurePresence(options: FailurePresenceOptions): FailurePresence {
  const { mostPages = PAGES_OF_ALL } = options;
  const now = options.monotonicNow ?? (() => performance.now());
  /** By person and page; the one not updated for longest first. */
  const pages = new Map<string, Page>();
  /** The same for each group, in order of arrival. */
  const groups = new Map<string, Map<string, Page>>();
  let timer: NodeJS.Timeout | null = null;

  function put(key: string, page: Page): void {
    pages.delete(key);
    pages.set(key, page);
    const group = groups.get(page.groupId) ?? new Map<string, Page>();
    groups.set(page.groupId, group.set(key, page));
  }

  function remove(key: string): void {
    const page = pages.get(key);
    if (page === undefined) return;
    pages.delete(key);
    const group = groups.get(page.groupId);
    group?.delete(key);
    if (group?.size === 0) groups.delete(page.groupId);
  }

  /** Activity of a person on any of their pages; null if absent. */
  function activityOf(groupId: string, personId: string): PresentDoing | null {
    let found: PresentDoing | null = null;
    for (const { person, doing } of groups.get(groupId)?.values() ?? []) {
      if (person.id !== personId) continue;
      if (doing === 'writing') return doing;
      found = doing;
    }
    return found;
  }

  /** Changes one page of a person and notifies if their presence changed. */
  function change(groupId: string, personId: string, act: () => void): void {
    const before = activityOf(groupId, personId);
    act();
    if (activityOf(groupId, personId) !== before) options.notify(groupId);
  }

  function drop(keys: Iterable<string>): void {
    for (const key of keys) {
      const page = pages.get(key);
      if (page !== undefined) change(page.groupId, page.person.id, () => remove(key));
    }
  }

  function keysWhere(is: (page: Page) => boolean): string[] {
    return [...pages].flatMap(([key, page]) => (is(page) ? [key] : []));
  }

  function waitForTheEnd(): void {
    const [oldest] = pages.values();
    if (timer !== null || oldest === undefined) return;
    const end = (): void => {
      timer = null;
      drop(keysWhere(({ until }) => until <= now()));
      waitForTheEnd();
    };
    timer = setTimeout(end, Math.max(0, oldest.until - now()) + 1);
    timer.unref();
  }

  /** Entries to remove before adding one more page of this person. */
  function pagesAboveLimit(personId: string): string[] {
    const own = keysWhere(({ person }) => person.id === personId);
    const tooMany = Math.max(0, own.length + 1 - PAGES_OF_ONE);
    return pages.size < mostPages ? own.slice(0, tooMany) : [...own.slice(0, tooMany), ...[...pages.keys()].slice(0, 1)];
  }

  function othersOf(groupId: string, personId: string): PresentPerson[] {
    const people = new Map<string, PresentPerson>();
    for (const { person, doing } of groups.get(groupId)?.values() ?? []) {
      const { id, name, initials } = person;
      if (id !== personId) people.set(id, { id, name, initials, doing: people.get(id)?.doing === 'writing' ? 'writing' : doing });
    }
    return [...people.values()].slice(0, SHOWN);
  }

  return {
    note(groupId, person, { page, doing }) {
      const key = `${person.id} ${page}`;
      const before = pages.get(key);
      // The message that a page was closed may arrive after it opened another failure.
      if (doing === 'gone' && before?.groupId !== groupId) return { people: othersOf(groupId, person.id) };
      if (before !== undefined && before.groupId !== groupId) drop([key]);
      if (before === undefined) drop(pagesAboveLimit(person.id));
      change(groupId, person.id, () => {
        if (doing === 'gone') remove(key);
        else put(key, { groupId, person, doing, until: now() + PRESENCE_LASTS_MS });
      });
      waitForTheEnd();
      return { people: othersOf(groupId, person.id) };
    },

    endSession: (sessionId) => drop(keysWhere(({ person }) => person.sessionId === sessionId)),

    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      pages.clear();
      groups.clear();
    },
  };
}
