import { expect, it } from 'vitest';
import { prometheusText } from './prometheus-text.ts';

it('writes families as Prometheus reads them, whatever a label holds', () => {
  const text = prometheusText([
    {
      name: 'calls_total',
      help: 'Two\nlines \\ of help.',
      type: 'counter',
      samples: [
        { labels: {}, value: 1.5 },
        { labels: { tool: 'a"b\\c\nd\ud800' }, value: 2 },
      ],
    },
    { name: 'seconds', help: 'H.', type: 'histogram', samples: [{ part: '_bucket', labels: { le: '+Inf' }, value: 3 }] },
  ]);
  expect(text.split('\n')).toEqual([
    '# HELP calls_total Two\\nlines \\\\ of help.',
    '# TYPE calls_total counter',
    'calls_total 1.5',
    'calls_total{tool="a\\"b\\\\c\\nd\ufffd"} 2',
    '# HELP seconds H.',
    '# TYPE seconds histogram',
    'seconds_bucket{le="+Inf"} 3',
    '',
  ]);
});
