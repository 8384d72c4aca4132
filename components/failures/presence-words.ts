import type { PresentPerson } from '#lib/contract/presence.ts';

const NAMED = 3;

/** "Ada is here too", "Ada is here too and writes a comment", "Ada, Ben and 2 others are here too". */
export function presenceInWords(people: readonly PresentPerson[]): string {
  const [first] = people;
  if (first === undefined) return '';
  if (people.length === 1) return `${first.name} is here too${first.doing === 'writing' ? ', and writes a comment' : ''}`;
  const named = people.slice(0, people.length > NAMED ? NAMED - 1 : NAMED).map(({ name }) => name);
  const others = people.length - named.length;
  const all = others === 0 ? named : [...named, `${others} others`];
  const writers = people.filter(({ doing }) => doing === 'writing');
  const writing =
    writers.length === 0 ? '' : writers.length === 1 ? `; ${writers[0]?.name} writes a comment` : `; ${writers.length} write comments`;
  return `${all.slice(0, -1).join(', ')} and ${all.at(-1)} are here too${writing}`;
}
