import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { Markdown } from '#components/ui/Markdown.tsx';
import { ResultView } from './ResultView.tsx';

afterEach(cleanup);

const ESC = '\u001b';
/** What has made other pages run, load or show what it should not. */
const HTML = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//evil.example/x.js></sCrIpT>',
  '<img src=x onerror=alert(1)>',
  '<img src="https://evil.example/pixel.png">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x>',
  '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<base href="https://evil.example/">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<form action="javascript:alert(1)"><button>go</button></form>',
  '<button formaction="javascript:alert(1)">go</button>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<video><source onerror=alert(1)></video>',
  '<audio src=x onerror=alert(1)>',
  '<body onload=alert(1)>',
  '<style>@import "https://evil.example/x.css";</style>',
  '<template><script>alert(1)</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '</pre></code></div><script>alert(1)</script>',
  '"><b onmouseover=alert(1)>x</b>',
  "'-alert(1)-'",
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
];
const MARKDOWN = [
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:msgbox(1))',
  '[x](file:///etc/passwd)',
  '[x](//evil.example)',
  '[x](/api/v1/tools)',
  '![x](https://evil.example/pixel.png)',
  '![x](javascript:alert(1))',
  '![x](x" onerror="alert(1))',
  '[x]: javascript:alert(1)\n\n[x]',
  '<javascript:alert(1)>',
  '[x](https://good.example "onclick=alert(1)")',
  '[<img src=x onerror=alert(1)>](https://good.example)',
  '```html\n<script>alert(1)</script>\n```',
  '`<script>alert(1)</script>`',
  '| <script>alert(1)</script> |\n| - |\n| [x](javascript:alert(1)) |',
  '> <img src=x onerror=alert(1)>',
];
const TERMINAL = [
  `${ESC}]8;;javascript:alert(1)${ESC}\\x${ESC}]8;;${ESC}\\`,
  `${ESC}]0;<script>alert(1)</script>\u0007x`,
  `${ESC}[31m<img src=x onerror=alert(1)>${ESC}[0m`,
  `${ESC}[2J${ESC}[H<script>alert(1)</script>`,
  `${ESC}P<script>${ESC}\\x`,
  'a\u202egnp.exe',
  '\u2066<script>\u2069',
  'x\u0000<script>alert(1)</script>',
];
const PAYLOADS = [...HTML, ...MARKDOWN, ...TERMINAL];

function intruders(root: HTMLElement): string[] {
  return [...root.querySelectorAll('*')]
    .filter(
      (element) =>
        element.matches('script, iframe, object, embed, base, link, meta, style, form, img, video, audio, math, b, details, template') ||
        element.matches('a:not([href^="https://"])') ||
        [...element.attributes].some(
          ({ name }) => /^on/i.test(name) || (/^(href|src|action|formaction|xlink:href)$/i.test(name) && !element.matches('a')),
        ),
    )
    .map((element) => element.outerHTML.slice(0, 120));
}

describe.each(PAYLOADS)('%j', (payload) => {
  test.each([
    ['a text', payload],
    ['a text as Markdown', `# Title\n\n${payload}`],
    ['names and values of a tree', { [payload]: payload, deeper: [payload] }],
    ['a table', [{ [payload]: payload }]],
    [
      'content',
      {
        content: [
          { type: 'text', text: payload },
          { type: 'image', data: payload, mimeType: payload },
          { type: 'audio', data: btoa('<script>'), mimeType: 'image/svg+xml' },
          { type: 'resource', resource: { uri: payload, mimeType: payload, text: payload } },
          { type: 'resource_link', uri: payload, name: payload, title: payload, description: payload },
          { type: payload, value: payload },
        ],
      },
    ],
  ])('is nothing but text in %s', (_, value) => {
    const { container } = render(<ResultView value={value} label="Result" copyLabel="Copy" fileParts={['x']} />);
    expect(intruders(container)).toEqual([]);
    for (const name of ['Tree', 'Text']) {
      for (const button of screen.queryAllByRole('button', { name })) {
        fireEvent.click(button);
        expect(intruders(container)).toEqual([]);
      }
    }
    // oxlint-disable-next-line no-control-regex -- an escape is not to be seen either
    expect(container.textContent).not.toMatch(/[\u001b\u202a-\u202e\u2066-\u2069]/);
  });

  test('is nothing but text, and a link to the web at most, when it is drawn as Markdown', () => {
    const { container } = render(<Markdown text={payload} />);
    expect(intruders(container)).toEqual([]);
  });
});
