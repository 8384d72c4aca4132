import { expect, it } from 'vitest';
import { askKindsOf, capabilitiesOf, askRefusal } from './client-asks.ts';

it.each([
  { sampling: {} },
  { sampling: { tools: {} } },
  { sampling: { tools: {}, context: {} }, roots: {} },
  { elicitation: { form: {}, url: {} } },
])('the capabilities %j of a client are passed to a server unchanged', (capabilities) => {
  expect(capabilitiesOf(askKindsOf(capabilities))).toEqual(capabilities);
});

it('a request with tools is refused for a client without tools in sampling', () => {
  const ask = { method: 'sampling/createMessage' as const, params: { tools: [] } };
  expect(askRefusal(ask, askKindsOf({ sampling: {} }))).toMatchObject({ error: { message: expect.stringContaining('sampling.tools') } });
  expect(askRefusal(ask, askKindsOf({ sampling: { tools: {} } }))).toBeNull();
});
