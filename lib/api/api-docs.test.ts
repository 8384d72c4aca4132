import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '#lib/contract/events.ts';
import { fieldsOf } from '#lib/testing/body-fields.ts';
import { ROUTES } from './routes.ts';

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const shown = [...page.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s]*)`/g)].map(([, method, path]) => `${method} ${path}`);

/** The form of the page: without the common prefix, and `{name}` for `:name`. */
const written = ROUTES.map(({ method, path }) => `${method} ${path.replace('/api/v1', '').replace(/:(\w+)/g, '{$1}')}`);

describe('docs/api.md', () => {
  it('describes every route, and no other', () => {
    expect([...new Set(shown)].toSorted()).toEqual(written.toSorted());
  });

  it('marks every administrative route, and no other', () => {
    const administrative = ROUTES.flatMap(({ access }, at) => (access === 'admin' ? [written[at]] : []));
    const marked = page
      .split('\n')
      .flatMap((line) => (line.includes('Administrative |') ? [/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/.exec(line)?.[1]] : []));
    expect(new Set(marked)).toEqual(new Set(administrative));
  });

  it('names every field of a body in the section of its route', () => {
    const sections = page.split(/^## /m);
    const unnamed = ROUTES.flatMap(({ body }, at) => {
      const own = sections.filter((section) => section.includes(`\`${written[at]}\``)).join('\n');
      const code = [...own.matchAll(/```[\s\S]*?```|`[^`]+`/g)].map(([text]) => text).join('\n');
      const fields = body === undefined ? [] : fieldsOf(body);
      return fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(code)).map((field) => `${written[at]}: ${field}`);
    });
    expect(unnamed).toEqual([]);
  });

  it('names every event', () => {
    expect(EVENT_TYPES.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
  });
});
