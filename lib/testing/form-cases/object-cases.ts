import type { FormCase } from './form-cases.ts';

export const OBJECTS: readonly FormCase[] = [
  {
    tool: 'nest_object',
    async fill(form) {
      await form.type('/it/street', 'High St');
      await form.type('/it/number', '12');
    },
    sent: { it: { street: 'High St', number: 12 } },
  },
  { tool: 'nest_deep', fill: (form) => form.type('/it/in/in/in/in/leaf', '1'), sent: { it: { in: { in: { in: { in: { leaf: 1 } } } } } } },
  { tool: 'nest_optional', fill: () => Promise.resolve(), sent: {} },
  { tool: 'nest_optional', fill: (form) => form.type('/it/key', 'k'), sent: { it: { key: 'k', kind: 'fixed' } } },
  { tool: 'keep_free_object', fill: (form) => form.type('/it', '{"x": {"y": null}}'), sent: { it: { x: { y: null } } } },
  { tool: 'keep_anything', fill: (form) => form.type('/it', '[1, "two", null]'), sent: { it: [1, 'two', null] } },
  {
    tool: 'map_texts',
    async fill(form) {
      await form.entry('/it', 'team');
      await form.type('/it/team', '42');
      await form.entry('/it', 'a b/c');
      await form.type('/it/a b~1c', 'x');
    },
    sent: { it: { team: '42', 'a b/c': 'x' } },
  },
  {
    tool: 'map_texts',
    async fill(form) {
      await form.entry('/it', 'foo');
      await form.press('Add a name to it');
      await form.keysHere('200', 'Tab', 'ok');
    },
    sent: { it: { 200: 'ok', foo: '' } },
  },
  {
    tool: 'map_objects',
    async fill(form) {
      await form.entry('/it', 'web');
      await form.type('/it/web/port', '80');
    },
    sent: { it: { web: { port: 80 } } },
  },
  {
    tool: 'map_patterns',
    async fill(form) {
      await form.entry('/it', 'x-a');
      await form.type('/it/x-a', '1');
      await form.entry('/it', 'n-b');
      await form.type('/it/n-b', '1');
    },
    sent: { it: { 'x-a': '1', 'n-b': 1 } },
  },
  {
    tool: 'map_beside',
    async fill(form) {
      await form.type('/it/id', 'i');
      await form.entry('/it', 'weight');
      await form.type('/it/weight', '1.5');
    },
    sent: { it: { id: 'i', weight: 1.5 } },
  },
  {
    tool: 'name_oddly',
    async fill(form) {
      await form.type('/a.b', '1');
      await form.type('/two words', '2');
      await form.type('/a~1b', '3');
      await form.type('/til~0de', '4');
      await form.answer('/$ref2', 'true');
      await form.type('/x[0]"y\'', '5');
      await form.type('/constructor', '6');
    },
    sent: { 'a.b': '1', 'two words': 2, 'a/b': '3', 'til~de': '4', $ref2: true, 'x[0]"y\'': '5', constructor: '6' },
  },
  { tool: 'take_nothing', fill: () => Promise.resolve(), sent: {} },
  {
    tool: 'refer_defs',
    async fill(form) {
      await form.type('/from/city', 'A');
      await form.type('/to/city', 'B');
    },
    sent: { from: { city: 'A' }, to: { city: 'B' } },
  },
  { tool: 'refer_definitions', fill: (form) => form.pick('/it', 'high'), sent: { it: 'high' } },
  {
    tool: 'recur_tree',
    async fill(form) {
      await form.type('/it/name', 'root');
      await form.press('Add an item to children');
      await form.type('/it/children/0/name', 'leaf');
      await form.pressIn('/it/children/0/children', 'Add an item to children');
      await form.type('/it/children/0/children/0/name', 'bud');
    },
    sent: { it: { name: 'root', children: [{ name: 'leaf', children: [{ name: 'bud' }] }] } },
  },
  {
    tool: 'recur_chain',
    async fill(form) {
      await form.type('/it/id', '1');
      await form.press('Fill in next');
      await form.type('/it/next/id', '2');
    },
    sent: { it: { id: 1, next: { id: 2 } } },
  },
  {
    tool: 'recur_whole',
    async fill(form) {
      await form.type('/name', 'a');
      await form.press('Fill in inner');
      await form.type('/inner/name', 'b');
    },
    sent: { name: 'a', inner: { name: 'b' } },
  },
  {
    tool: 'fill_many',
    async fill(form) {
      await form.named('textbox', 'Find a field', 'p377');
      await form.type('/p377', 'x');
    },
    sent: { p377: 'x' },
  },
];

export const LISTS: readonly FormCase[] = [
  {
    tool: 'list_texts',
    async fill(form) {
      for (const [index, text] of ['10', 'b', ''].entries()) {
        await form.press('Add an item to it');
        await form.type(`/it/${index}`, text);
      }
    },
    sent: { it: ['10', 'b', ''] },
  },
  {
    tool: 'list_numbers',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0', '1.5');
      await form.press('Add an item to it');
      await form.type('/it/1', '-2');
    },
    sent: { it: [1.5, -2] },
  },
  {
    tool: 'list_choices',
    async fill(form) {
      await form.check('/it', 'c');
      await form.check('/it', 'a');
    },
    sent: { it: ['c', 'a'] },
  },
  {
    tool: 'list_objects',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0/name', 'Rome');
      await form.type('/it/0/nights', '2');
      await form.press('Add an item to it');
      await form.type('/it/1/name', 'Bari');
      await form.press('Move item 2 up');
      await form.press('Duplicate item 1');
      await form.type('/it/1/nights', '1');
    },
    sent: { it: [{ name: 'Bari' }, { name: 'Bari', nights: 1 }, { name: 'Rome', nights: 2 }] },
  },
  {
    tool: 'list_lists',
    async fill(form) {
      await form.press('Add an item to it');
      await form.press('Add an item to Item 1');
      await form.type('/it/0/0', '1');
      await form.press('Add an item to Item 1');
      await form.type('/it/0/1', '2');
      await form.press('Add an item to it');
    },
    sent: { it: [[1, 2], []] },
  },
  {
    tool: 'list_unions',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0', '5');
      await form.press('Add an item to it');
      await form.form('Item 2', 'Whole number');
      await form.type('/it/1', '5');
      await form.press('Add an item to it');
      await form.form('Item 3', 'Object with name, nights');
      await form.type('/it/2/name', 'x');
    },
    sent: { it: ['5', 5, { name: 'x' }] },
  },
  {
    tool: 'list_anything',
    async fill(form) {
      await form.press('Add an item to it');
      await form.type('/it/0', '{"a": [true]}');
    },
    sent: { it: [{ a: [true] }] },
  },
  { tool: 'list_required', fill: (form) => form.send('it', 'Send an empty list'), sent: { it: [] } },
  {
    tool: 'place_pair',
    async fill(form) {
      await form.type('/it/0', '1');
      await form.type('/it/1', '2');
    },
    sent: { it: ['1', 2] },
  },
  {
    tool: 'place_rest',
    async fill(form) {
      await form.type('/it/0', 'n');
      await form.press('Add an item to it');
      await form.type('/it/1', '3');
    },
    sent: { it: ['n', 3] },
  },
  {
    tool: 'place_draft_07',
    async fill(form) {
      await form.type('/it/0', '0.5');
      await form.answer('/it/1', 'false');
    },
    sent: { it: [0.5, false] },
  },
];
