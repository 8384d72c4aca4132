import { describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { PROMPTS, RESOURCES, TEMPLATES, withinLimits } from './read-server-features.ts';

const read = (odd: object) =>
  RESOURCES.read(
    [
      { uri: 'a:good', name: 'good' },
      { uri: 'a:odd', name: 'odd', ...odd },
    ],
    0,
  );

describe('a resource of an MCP server', () => {
  it('keeps every valid field, also unknown ones', () => {
    const resource = {
      uri: 'a:1',
      name: 'one',
      title: 'One',
      description: 'The first.',
      mimeType: 'text/plain',
      size: 3,
      icons: [{ src: 'https://example.org/i.png', mimeType: 'image/png', sizes: ['any'], theme: 'light' }],
      annotations: { audience: ['user', 'assistant'], priority: 1, lastModified: '2026-11-25T10:00:00Z' },
      _meta: { a: { b: [1] } },
      later: true,
    };
    expect(RESOURCES.read([resource], 0)).toEqual({ entries: [resource], warnings: [] });
  });

  it.each<[string, object, string]>([
    ['title', { title: 7 }, 'a:odd: Its `title` is 7, not a text; it was left out.'],
    ['size', { size: 'large' }, 'a:odd: Its `size` is invalid; it was left out.'],
    ['icons', { icons: [{ source: 'x' }] }, 'a:odd: Its `icons` is invalid; it was left out.'],
    ['annotations', { annotations: { priority: 7 } }, 'a:odd: Its `annotations` is invalid; it was left out.'],
    ['_meta', { _meta: 'none' }, 'a:odd: Its `_meta` is invalid; it was left out.'],
  ])('loses an invalid %s, with a warning', (_field, odd, warning) => {
    expect(read(odd)).toEqual({
      entries: [
        { uri: 'a:good', name: 'good' },
        { uri: 'a:odd', name: 'odd' },
      ],
      warnings: [warning],
    });
  });

  it('counts null as absent, and is named by its address without a name', () => {
    expect(read({ title: null, icons: null, name: null })).toEqual({
      entries: [
        { uri: 'a:good', name: 'good' },
        { uri: 'a:odd', name: 'a:odd' },
      ],
      warnings: [],
    });
  });

  it('without a usable address, or with one of Switchboard, is left out', () => {
    const { entries, warnings } = RESOURCES.read(
      [null, {}, { uri: '' }, { uri: 7 }, { uri: 'Switchboard://extensions/x/status', name: 'x' }],
      10,
    );
    expect(entries).toEqual([]);
    expect(warnings).toEqual([
      ...[11, 12, 13, 14].map((at) => `Entry ${at} of its list of resources has no usable \`uri\`; it was left out.`),
      expect.stringContaining('Entry 15 of its list of resources has an address of Switchboard itself'),
    ]);
    expect(TEMPLATES.read('none', 0).warnings).toEqual(['Its list of resource templates is the text "none"; it was left out.']);
  });

  it('that is too large or too deep is left out', () => {
    let deep: object = {};
    for (let level = 0; level < 100; level += 1) deep = { deep };
    expect(read({ _meta: deep }).warnings).toEqual([expect.stringContaining('nested more than 64 levels deep')]);
    expect(read({ _meta: { text: 'x'.repeat(200_000) } }).warnings).toEqual([expect.stringContaining('is larger than')]);
  });
});

it('arguments of a prompt without a name are left out', () => {
  const prompt = { name: 'p', arguments: [{ name: 'a', required: true, description: null }, {}, 'b'] };
  expect(PROMPTS.read([prompt], 0)).toEqual({
    entries: [{ name: 'p', arguments: [{ name: 'a', required: true }] }],
    warnings: Array.from({ length: 2 }, () => 'p: One of its `arguments` has no name; it was left out.'),
  });
  expect(PROMPTS.read([{ name: 'p', arguments: 'a' }], 0).entries).toEqual([{ name: 'p', arguments: [] }]);
});

it('a list keeps the entries within its limits, and reports the omitted ones', () => {
  const many = Array.from({ length: LIMITS.featuresPerExtension + 5 }, (_, at) => ({ name: `p${at}` }));
  const { kept, warnings } = withinLimits(many, 'prompts');
  expect(kept).toHaveLength(LIMITS.featuresPerExtension);
  expect(warnings).toEqual(['The server has 1005 prompts; 5 above the limit of an extension were left out.']);
  const large = Array.from({ length: 30 }, () => ({ description: 'x'.repeat(65_536) }));
  expect(withinLimits(large, 'prompts').kept).toHaveLength(15);
});
