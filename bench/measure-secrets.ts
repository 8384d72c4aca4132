import { createKnownSecrets } from '#lib/contract/known-secrets.ts';
import { hideSecretTexts } from '#lib/contract/secret-texts.ts';
import { quantile } from './figures.ts';
import type { Section, Table } from './report.ts';

/** Secret detection in 4 KiB of text: prose, JSON, a log, hostile text. */
const LENGTH = 4_096;
const TARGET_US = 20;
const KNOWN = 100;

const PROSE =
  'The server reads the folder again and loads what has changed; a token: the smallest unit of a text. Ask for the password when it is needed, and see https://example.com/docs?page=2#part for more. ';
const TEXTS: Readonly<Record<string, string>> = {
  prose: PROSE,
  JSON: '{"id":"0197a8f2-1234-7abc","name":"forecast","version":"1.2.3","tags":["one","two"],"url":"https://example.com/a/b","count":12},',
  'a log': '2026-11-25T10:00:00.000Z INFO [worker-3] GET /api/items?page=2&sort=name 200 in 12 ms, user=ada session_id=17 retries: 0\n',
  'a log with secrets':
    '2026-11-25T10:00:00.000Z INFO login user=ada password=hunter2 Authorization: Bearer a1b2c3d4e5f6 "api_key": "k-1"\n',
  'prose of two bytes a letter': 'Сервер читает папку снова и загружает то, что изменилось: токен — это единица текста. ',
  'names of secrets alone': 'token:',
};

/** Fastest of many runs, because other load only adds time. */
function fastest(text: string, hide: (text: string) => string, rounds: number): number {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    for (let run = 0; run < 50; run += 1) hide(text);
    samples.push(((performance.now() - began) / 50) * 1_000);
  }
  return quantile(samples, 0);
}

export async function measureSecrets(isQuick: boolean): Promise<Section> {
  const known = createKnownSecrets(Array.from({ length: KNOWN }, (_, at) => `value-of-variable-${at}-${at * 7_919}`));
  const rounds = isQuick ? 40 : 400;
  const rows = Object.entries(TEXTS).map(([name, part]) => {
    const text = part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);
    return {
      name,
      alone: fastest(text, (one) => hideSecretTexts(one), rounds),
      all: fastest(text, (one) => hideSecretTexts(one, known), rounds),
    };
  });
  const us = (value: number): string => `${value.toFixed(1)} µs`;
  const table: Table = {
    head: ['4 KiB of text', 'found by their form', `and ${KNOWN} known values`],
    rows: rows.map(({ name, alone, all }) => [name, us(alone), us(all)]),
  };
  const usual = rows.filter(({ name }) => ['prose', 'JSON', 'a log'].includes(name));
  return {
    title: 'Secret detection',
    method: `Text is scanned for secrets before it is stored or shown. The fastest of ${rounds} rounds of 50.`,
    tables: [table],
    targets: usual.map(({ name, all }) => ({ target: `${name}: ≤ ${TARGET_US} µs`, found: us(all), isMet: all <= TARGET_US })),
  };
}
