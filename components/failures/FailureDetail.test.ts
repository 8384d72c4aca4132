import { expect, it } from 'vitest';
import { presenceInWords } from './FailureDetail.tsx';

const person = (name: string, doing: 'looking' | 'writing' = 'looking') => ({ id: name, name, initials: name.slice(0, 2), doing });

it('names viewers and writers', () => {
  expect(presenceInWords([])).toBe('');
  expect(presenceInWords([person('Ada')])).toBe('Ada is here too');
  expect(presenceInWords([person('Ada', 'writing')])).toBe('Ada is here too, and writes a comment');
  expect(presenceInWords([person('Ada'), person('Ben', 'writing')])).toBe('Ada and Ben are here too; Ben writes a comment');
  const many = ['Ada', 'Ben', 'Cy', 'Di', 'Ed'].map((name) => person(name, 'writing'));
  expect(presenceInWords(many.slice(0, 3))).toBe('Ada, Ben and Cy are here too; 3 write comments');
  expect(presenceInWords(many)).toBe('Ada, Ben and 3 others are here too; 5 write comments');
});
