import { describe, expect, it } from 'vitest';
import { parseCommand } from './parse-command.ts';

describe('a text from a channel', () => {
  it.each(['hello', '', '  ', 'say /echo', '/', '//echo', '/1st', '/usr/bin/env', '/echo@bot a=1', '/échо'])('%j is plain text', (text) => {
    expect(parseCommand(text)).toEqual({ kind: 'text' });
  });

  it.each([
    ['/echo', {}],
    ['  /echo  ', {}],
    ['/echo {"a": {"b": [1]}}', { a: { b: [1] } }],
    ['/echo{"a":1}', { a: 1 }],
    ['/echo\n{"a":\n"x"}', { a: 'x' }],
  ])('%j is a command with its arguments', (text, args) => {
    const parsed = parseCommand(text);
    expect(parsed).toEqual(text.includes('{') ? { kind: 'json', name: 'echo', args } : { kind: 'pairs', name: 'echo', pairs: [] });
  });

  it('reads pairs, quoted in either way, with JSON that has spaces', () => {
    const parsed = parseCommand(`/send_mail to=ada subject="a \\"b\\" c" body='it is' list=[1, {"x": "] }"}] empty= url=https://x.y/?a=b`);
    expect(parsed).toEqual({
      kind: 'pairs',
      name: 'send_mail',
      pairs: [
        { key: 'to', value: 'ada', isQuoted: false },
        { key: 'subject', value: 'a "b" c', isQuoted: true },
        { key: 'body', value: 'it is', isQuoted: true },
        { key: 'list', value: '[1, {"x": "] }"}]', isQuoted: false },
        { key: 'empty', value: '', isQuoted: false },
        { key: 'url', value: 'https://x.y/?a=b', isQuoted: false },
      ],
    });
  });

  it('reads typographic quotes, which phones write', () => {
    expect(parseCommand('/note a=“b c” d=„e f“ g=‘it is’ h=“open i=5')).toMatchObject({
      pairs: [
        { key: 'a', value: 'b c', isQuoted: true },
        { key: 'd', value: 'e f', isQuoted: true },
        { key: 'g', value: 'it is', isQuoted: true },
        { key: 'h', value: '“open', isQuoted: false },
        { key: 'i', value: '5' },
      ],
    });
    expect(parseCommand('/note {“a”: “b c”}')).toEqual({ kind: 'json', name: 'note', args: { a: 'b c' } });
    expect(parseCommand('/note {"a": "“b”"}')).toEqual({ kind: 'json', name: 'note', args: { a: '“b”' } });
  });

  it('reads JSON with spaces after values with an unclosed bracket', () => {
    expect(parseCommand('/note a=[ b={"x": 1} c=2')).toMatchObject({ pairs: [{ value: '[' }, { value: '{"x": 1}' }, { value: '2' }] });
    const parsed = parseCommand(`/note ${'a={ '.repeat(20_000)}`);
    expect(parsed).toMatchObject({ kind: 'pairs', name: 'note' });
    expect(parsed.kind === 'pairs' && parsed.pairs.every(({ value }) => value === '{')).toBe(true);
    expect(parseCommand(`/note ${'a=„ '.repeat(20_000)}`)).toMatchObject({ kind: 'pairs' });
  });

  it('keeps escaped and literal line breaks', () => {
    expect(parseCommand('/note text="a\\nb\nc"')).toMatchObject({ pairs: [{ value: 'a\nb\nc' }] });
  });

  it.each([
    ['/echo {"a": }', /^The arguments are not JSON: .* Write them as \/echo \{"key": "value"\} or as \/echo key=value\.$/],
    ['/echo a="open', /^The quotation mark that opens the value of a is not closed\./],
    ['/echo city=New York', /^“York” is not a key=value pair\. If it belongs to city, put the value in quotes: city="New York"\./],
    ['/echo sum=2 * (3 + 4) b=1', /put the value in quotes: sum="2 \* \(3 \+ 4\)"\./],
  ])('%j is rejected with the reason', (text, message) => {
    expect(parseCommand(text)).toMatchObject({ kind: 'wrong', name: 'echo', message: expect.stringMatching(message) });
  });

  it('returns words without a pair, for /help', () => {
    expect(parseCommand('/help get_weather')).toEqual({ kind: 'words', name: 'help', words: 'get_weather' });
  });
});
