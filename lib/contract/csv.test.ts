import { describe, expect, it } from 'vitest';
import { csvLine, auditRow, AUDIT_COLUMNS } from './csv.ts';
import type { AuditEntry } from './audit.ts';

describe('a line of CSV', () => {
  it('quotes characters that would end a cell', () => {
    expect(csvLine(['plain', 'a,b', 'say "yes"', 'two\nlines', 3, null])).toBe('plain,"a,b","say ""yes""","two\nlines",3,\r\n');
  });

  it.each(['=cmd()', '+1', '-1', '@x', '\tx', '\rx', '\n=1', '＝1', '＋1', '－1', '＠x', ' =1', '\u00a0=1', '\ufeff=1', '\u200b@x'])(
    'prevents a spreadsheet from running %j',
    (text) => {
      const cell = `'${text}`;
      expect(csvLine([text])).toBe(`${/[\r\n]/.test(text) ? `"${cell}"` : cell}\r\n`);
    },
  );

  it('leaves numbers, and texts with such characters inside, unchanged', () => {
    expect(csvLine([-1, 'a=b', '(1)', "'=1", { a: -1 }, [], true, undefined])).toBe(`-1,a=b,(1),'=1,"{""a"":-1}",[],true,\r\n`);
  });
});

it('an audit line runs no formula, regardless of the names and targets', () => {
  const entry: AuditEntry = {
    id: 'e',
    at: '2030-01-01T00:00:00.000Z',
    actor: { kind: 'member', id: null, name: '=HYPERLINK("http://x","click")' },
    action: 'extensions.edit',
    target: '@SUM(A1)',
    outcome: 'refused',
    address: '10.0.0.1',
    detail: { missing: 'a role, such as "author"' },
  };
  expect(csvLine(AUDIT_COLUMNS) + csvLine(auditRow(entry))).toBe(
    'id,at,actor_kind,actor_id,actor_name,action,target,outcome,address,detail\r\n' +
      `e,2030-01-01T00:00:00.000Z,member,,"'=HYPERLINK(""http://x"",""click"")",extensions.edit,'@SUM(A1),refused,10.0.0.1,"{""missing"":""a role, such as \\""author\\""""}"\r\n`,
  );
});
