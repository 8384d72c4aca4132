import { describe, expect, it } from 'vitest';
import { escapeInvisible, invisibleIn, visibleJson, visibleText } from './visible-text.ts';

describe('invisible characters', () => {
  it.each([
    ['a right-to-left override', 'invoice\u202efdp.exe', 'invoice⟨U+202E⟩fdp.exe'],
    ['an isolate and its end', 'a\u2067b\u2069', 'a⟨U+2067⟩b⟨U+2069⟩'],
    ['direction marks', 'a\u200fb\u061cc', 'a⟨U+200F⟩b⟨U+061C⟩c'],
    ['a zero-width space', 'ad\u200bmin', 'ad⟨U+200B⟩min'],
    ['joiners between letters that do not join', 'ad\u200dmin\u200c', 'ad⟨U+200D⟩min⟨U+200C⟩'],
    ['a soft hyphen', 'ad\u00admin', 'ad⟨U+00AD⟩min'],
    ['a byte order mark', '\ufeffrun', '⟨U+FEFF⟩run'],
    ['tag characters, which can hide words', 'run\u{e0041}\u{e007f}', 'run⟨U+E0041⟩⟨U+E007F⟩'],
    ['variation selectors, which can hide bytes', 'a\ufe01😀\ufe0f\ufe0e\u{e0101}', 'a⟨U+FE01⟩😀\ufe0f⟨U+FE0E⟩⟨U+E0101⟩'],
    ['an invisible Hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['control characters', 'a\u0000b\u0007c\u001b[31m\u007f\u0085', 'a⟨U+0000⟩b⟨U+0007⟩c⟨U+001B⟩[31m⟨U+007F⟩⟨U+0085⟩'],
    ['line and paragraph separators', 'a\u2028b\u2029', 'a⟨U+2028⟩b⟨U+2029⟩'],
  ])('are shown as code points: %s', (_, text, expected) => {
    expect(visibleText(text)).toBe(expected);
    expect(visibleText(expected)).toBe(expected);
  });

  it.each([
    ['line ends and tabs', 'a\r\n\tb\nc'],
    ['a family of emoji', '👨\u200d👩\u200d👧 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥'],
    ['emoji with a variation selector', '❤\ufe0f ☎\ufe0e 1\ufe0f⃣'],
    ['flags made of tag characters', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['Persian and Hindi', 'می\u200cخواهم क\u094d\u200dष'],
    ['a name with a variant of a character', '葛\u{e0100}城'],
    ['right-to-left scripts', 'שלום مرحبا'],
  ])('are kept if the text needs them: %s', (_, text) => {
    expect(visibleText(text)).toBe(text);
    expect(escapeInvisible(text)).toBe(text);
    expect(invisibleIn(text)).toEqual([]);
  });

  it('are escaped in JSON, with the same meaning', () => {
    expect(visibleJson('a\u202eb\u200b\u001b')).toBe('"a\\u202eb\\u200b\\u001b"');
    const value = { 'k\u2066': 'a\u202eb\u200b\u0085\u{e0041}\ufeff' };
    expect(JSON.parse(visibleJson(value))).toEqual(value);
    expect(visibleJson(value)).toMatch(/^[\x20-\x7e]*$/);
  });

  it('are listed once each', () => {
    expect(invisibleIn('a\u202eb\u202ec\u{e0041}')).toEqual(['U+202E', 'U+E0041']);
  });
});
