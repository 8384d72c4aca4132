import type { Filler } from './filler.ts';

/** A schema construct: how a person fills it in, and the expected arguments. */
export interface FormCase {
  readonly tool: string;
  readonly fill: (form: Filler) => Promise<void>;
  readonly sent: unknown;
  /** The tool's result if it differs from the input: defaults that are filled in, secrets that are not recorded. */
  readonly result?: unknown;
  /** The value in the form when records redact it. */
  readonly filled?: unknown;
}

function type(tool: string, text: string, sent: unknown): FormCase {
  return { tool, fill: (form) => form.type('/it', text), sent: { it: sent } };
}

function untouched(tool: string, sent: unknown): FormCase {
  return { tool, fill: () => Promise.resolve(), sent };
}

export const TEXTS: readonly FormCase[] = [
  type('read_text', '007', '007'),
  type('read_lines', 'one\n\n  two "quoted" \\ é 😀', 'one\n\n  two "quoted" \\ é 😀'),
  type('read_pattern', 'AB-12', 'AB-12'),
  type('read_length', 'four', 'four'),
  type('read_date', '2026-02-28', '2026-02-28'),
  type('read_moment', '2026-01-31T09:30:15Z', '2026-01-31T09:30:15Z'),
  type('read_moment', '2026-01-31T09:30:15.5+02:00', '2026-01-31T09:30:15.5+02:00'),
  {
    tool: 'read_optional_text',
    async fill(form) {
      await form.keys('/it', 'one', 'Shift+Enter', 'two');
    },
    sent: { it: 'one\ntwo' },
  },
  type('read_time', '09:30:00Z', '09:30:00Z'),
  type('read_email', 'ada@example.org', 'ada@example.org'),
  type('read_uri', 'https://example.org/a?b=c#d', 'https://example.org/a?b=c#d'),
  type('read_uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-426614174000'),
  { tool: 'read_required_text', fill: (form) => form.send('it', 'Send empty text'), sent: { it: '' } },
  {
    tool: 'read_optional_text',
    async fill(form) {
      await form.type('/it', 'typed');
      await form.type('/it', '');
    },
    sent: {},
  },
  { tool: 'choose_text', fill: (form) => form.pick('/it', '1'), sent: { it: '1' } },
  { tool: 'choose_integer', fill: (form) => form.pick('/it', '10'), sent: { it: 10 } },
  { tool: 'choose_mixed', fill: (form) => form.pick('/it', '"1"'), sent: { it: '1' } },
  { tool: 'choose_or_null', fill: (form) => form.pick('/it', 'null'), sent: { it: null } },
  { tool: 'choose_titled', fill: (form) => form.pick('/it', 'Oregon'), sent: { it: 'us-1' } },
  {
    tool: 'choose_many',
    async fill(form) {
      await form.suggest('/it', '777', 'choice-777');
    },
    sent: { it: 'choice-777' },
  },
  untouched('send_const', { it: 'v2' }),
  untouched('send_null', { it: null }),
];

export const NUMBERS: readonly FormCase[] = [
  type('count_integer', '500', 500),
  type('count_number', '0.001', 0.001),
  type('count_steps', '1.75', 1.75),
  type('count_cents', '19.99', 19.99),
  type('count_negative', '-12', -12),
  type('count_decimal', '3.14159', 3.14159),
  type('count_large', '9007199254740991', 9007199254740991),
  {
    tool: 'count_optional',
    async fill(form) {
      await form.type('/it', '4');
      await form.type('/it', '');
    },
    sent: {},
  },
  { tool: 'flag_required', fill: (form) => form.answer('/it', 'false'), sent: { it: false } },
  { tool: 'flag_optional', fill: (form) => form.answer('/it', 'false'), sent: { it: false } },
  untouched('flag_optional', {}),
];

export const WORDS: readonly FormCase[] = [
  { tool: 'null_text', fill: (form) => form.send('it', 'Send null'), sent: { it: null } },
  { tool: 'null_number', fill: (form) => form.type('/it', '7'), sent: { it: 7 } },
  { ...untouched('null_number', {}), result: { got: { it: null } } },
  { tool: 'null_flag', fill: (form) => form.answer('/it', 'null'), sent: { it: null } },
  { ...untouched('default_scalar', {}), result: { got: { city: 'Lisbon', days: 3, alerts: true } } },
  {
    tool: 'default_scalar',
    async fill(form) {
      await form.type('/city', 'Rome');
      await form.type('/days', '0');
      await form.answer('/alerts', 'false');
    },
    sent: { city: 'Rome', days: 0, alerts: false },
  },
  { ...untouched('default_deep', {}), result: { got: { tags: ['x', 'y'], size: { w: 1, h: 2 } } } },
  {
    tool: 'default_deep',
    async fill(form) {
      await form.send('tags', 'Fill in the default');
      await form.type('/tags/1', 'z');
      await form.type('/size/w', '5');
    },
    sent: { tags: ['x', 'z'], size: { w: 5 } },
  },
  untouched('suggest_examples', {}),
  {
    tool: 'suggest_examples',
    async fill(form) {
      await form.press('Fill in city: Faro');
      await form.press('Fill in size: 20');
    },
    sent: { city: 'Faro', size: 20 },
  },
  { tool: 'read_only', fill: (form) => form.type('/name', 'n'), sent: { name: 'n' } },
  {
    tool: 'write_only',
    async fill(form) {
      await form.type('/code', 'open sesame');
      await form.type('/word', 'hush');
      await form.type('/pin', '41');
      await form.pick('/level', 'high');
      await form.press('Hide level');
      await form.press('Show level');
      await form.press('Add an item to keys');
      await form.type('/keys/0', 'first key');
      await form.type('/password', 'by its name');
    },
    sent: { code: '[redacted]', word: '[redacted]', pin: '[redacted]', level: '[redacted]', keys: ['[redacted]'], password: '[redacted]' },
    filled: { code: 'open sesame', word: 'hush', pin: 41, level: 'high', keys: ['first key'], password: 'by its name' },
    result: { length: 11, same: true, odd: true },
  },
  {
    tool: 'tell_words',
    async fill(form) {
      await form.named('textbox', 'Question', 'why');
      await form.named('textbox', /lang.*deprecated/, 'en');
    },
    sent: { q: 'why', lang: 'en' },
  },
];
