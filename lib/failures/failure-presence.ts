import { PRESENCE_LASTS_MS } from '#lib/contract/presence-times.ts';
import type { Presence, PresenceNote, PresentDoing, PresentPerson } from '#lib/contract/presence.ts';

/**
 * Who has the page of a failure open, in memory alone. What can go wrong: a page goes without saying so (what was said holds for
 * PRESENCE_LASTS_MS, after which the others are told), one person has several pages (each is one of its own, the person is shown
 * once), a script says ever new pages (only the newest few of a person count), everybody's pages tell everybody ever anew (only
 * a change of who is there, or of what he does, is told).
 */
export interface FailurePresence {
  /** Answers who else is there. */
  note(groupId: string, person: PresentMember, note: PresenceNote): Presence;
  /** A session is over, and with it what its pages said. */
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
  /** Tells that somebody else is there now, or does something else. */
  tell(groupId: string): void;
  monotonicNow?(): number;
  /** Of all people. */
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
  /** By person and page; the one that was heard of longest ago first. */
  const pages = new Map<string, Page>();
  /** The same of each group; who came first first. */
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

  /** What somebody does there, on whichever page; null when he is not there. */
  function doingOf(groupId: string, personId: string): PresentDoing | null {
    let found: PresentDoing | null = null;
    for (const { person, doing } of groups.get(groupId)?.values() ?? []) {
      if (person.id !== personId) continue;
      if (doing === 'writing') return doing;
      found = doing;
    }
    return found;
  }

  /** Does something to one page of somebody, and tells if he is there otherwise than before. */
  function change(groupId: string, personId: string, act: () => void): void {
    const before = doingOf(groupId, personId);
    act();
    if (doingOf(groupId, personId) !== before) options.tell(groupId);
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

  /** What has to go for one more page of this person. */
  function crowded(personId: string): string[] {
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
      // That a page was left may be heard of only after it went on to another failure.
      if (doing === 'gone' && before?.groupId !== groupId) return { people: othersOf(groupId, person.id) };
      if (before !== undefined && before.groupId !== groupId) drop([key]);
      if (before === undefined) drop(crowded(person.id));
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
