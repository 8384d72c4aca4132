import { describe, expect, it } from 'vitest';
import { hostOfLink, readBlock, readMcpResult, readMedia } from './McpContentView.tsx';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('an image or audio block', () => {
  it('is rendered when its bytes match the declared type', () => {
    expect(readMedia(PNG, 'image/png')).toMatchObject({ kind: 'image', mimeType: 'image/png', bytes: 70, isLarge: false });
    expect(readMedia(btoa('RIFF....WAVEfmt '), 'audio/x-wav')).toMatchObject({ kind: 'audio', mimeType: 'audio/wav' });
  });

  it.each([
    ['SVG', btoa('<svg onload="alert(1)"/>'), 'image/svg+xml', 'Cannot show'],
    ['HTML', btoa('<script>alert(1)</script>'), 'text/html', 'Cannot show'],
    ['a type that is a property name of every object', PNG, 'constructor', 'Cannot show'],
    ['SVG declared as PNG', btoa('<svg onload="alert(1)"/>'), 'image/png', 'is not image/png'],
    ['base64 with an injected attribute', `${PNG}" onerror="alert(1)`, 'image/png', 'not base64'],
    ['invalid base64', '%%%', 'image/png', 'not base64'],
    ['larger than the limit', 'A'.repeat(15_000_000), 'image/png', 'Too large'],
  ])('is replaced by a message if it is %s', (_, data, type, words) => {
    expect(readMedia(data, type)).toContain(words);
  });

  it('is shown on request if it is large', () => {
    expect(readMedia(PNG.slice(0, 24) + 'A'.repeat(2_000_000), 'image/png; charset=x')).toMatchObject({ isLarge: true });
  });
});

describe('MCP content', () => {
  it('is distinguished from results that only look like it', () => {
    expect(readMcpResult({ content: [{ type: 'text', text: 'x' }] })).not.toBeNull();
    expect(readMcpResult({ content: [{ type: 'hologram' }, { type: 'image' }] })).not.toBeNull();
    for (const value of [null, 'x', [], { content: [] }, { content: 'text' }, { content: [1] }, { content: [{ type: 'heading' }] }])
      expect(readMcpResult(value)).toBeNull();
  });

  it('is not rendered when a part is malformed', () => {
    expect(readBlock({ type: 'text', text: 'x' })).toMatchObject({ text: 'x' });
    for (const part of [{ type: 'text' }, { type: 'image', data: 1, mimeType: 'image/png' }, { type: 'hologram' }, { type: 'resource' }])
      expect(readBlock(part)).toBeNull();
  });
});

describe('a link in a result', () => {
  it.each([
    ['https://example.org:8443/a?b', 'example.org:8443'],
    ['HTTP://Example.org', 'example.org'],
    ['https://good.example@evil.example/', 'evil.example'],
    ['javascript:alert(1)', null],
    [' javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['file:///etc/passwd', null],
    ['//example.org', null],
    ['https://', null],
  ])('%s opens %s', (uri, host) => {
    expect(hostOfLink(uri)).toBe(host);
  });
});
