import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.dirname(path.dirname(import.meta.dirname));
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

/** Links to other sites are not followed. */
const LINK = /\[[^\]]*\]\((?!https?:|mailto:)([^)\s]+)\)/g;
const NAMED_PATH = /`((?:app|bench|bin|components|docs|e2e|lib)\/[\w./-]*\w|server\.ts)`/g;

const withoutCode = (text: string) => text.replace(/^```[^]*?^```/gm, '');
const textOf = (page: string) => withoutCode(readFileSync(path.join(root, page), 'utf8'));

/** The anchor of a heading: lower case, without punctuation, spaces as `-`. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function brokenLinks(page: string): readonly string[] {
  return [...textOf(page).matchAll(LINK)].flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(root, target))) return [`${link}: there is no ${target}`];
    if (anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor)) return [];
    return [`${link}: ${target} has no heading for #${anchor}`];
  });
}

describe('the documentation', () => {
  it('has pages', () => {
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'AGENTS.md', 'CHANGELOG.md', path.join('docs', 'errors.md')]));
  });

  it.each(pages)('%s has no broken links', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it.each(pages)('%s names only existing files and folders', (page) => {
    const named = [...textOf(page).matchAll(NAMED_PATH)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});
