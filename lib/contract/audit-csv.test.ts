import { expect, it } from 'vitest';
import { auditRow, AUDIT_COLUMNS } from './audit-csv.ts';
import type { AuditEntry } from './audit.ts';
import { csvLine } from './csv.ts';

it('a line of the audit runs no formula, whatever people are called and whatever they tried', () => {
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
