import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { textDrafts } from '#components/ui/text-drafts.ts';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { API } from '#lib/contract/paths.ts';
import { ChannelDetail } from './ChannelDetail.tsx';
import { type Answers, NothingInSight, answerRequests, clock, json, outbound, problem } from './channels-for-tests.ts';
import { messageRecord } from '#lib/testing/api-records.ts';

let answers: Answers;
let client = createQueryClient();

beforeEach(() => {
  answers = answerRequests();
  client = createQueryClient();
});

afterEach(() => {
  cleanup();
  client.clear();
  for (const key of textDrafts.list('').split('\n')) textDrafts.write(key, null);
});

function open(name = 'clock') {
  render(
    <QueryClientProvider client={client}>
      <ChannelDetail name={name} />
    </QueryClientProvider>,
  );
}

const writes = () => answers.requests.filter(({ what }) => !what.startsWith('GET'));
const messages = async () => within(await screen.findByRole('list', { name: 'Messages, newest last' })).getAllByRole('listitem');

describe('the conversation', () => {
  it('is in chronological order, with older pages above', async () => {
    answers.messages = [messageRecord('3', 'third'), messageRecord('2', 'second'), messageRecord('1', 'first')];
    open();
    await screen.findByText('first');
    expect((await messages()).map((item) => item.textContent)).toEqual([
      expect.stringContaining('first'),
      expect.stringContaining('second'),
      expect.stringContaining('third'),
    ]);
    expect(screen.getByText('Start of the conversation')).not.toBeNull();
  });

  it('shows text as plain text in its own direction, and every character of a name', async () => {
    answers.messages = [messageRecord('1', '<b>bold</b>\nhttps://example.org', { sender: '\u202Eevil' })];
    open();
    const text = await screen.findByText(/<b>bold<\/b>/, { selector: 'p[dir]' });
    expect(text.getAttribute('dir')).toBe('auto');
    expect(text.children).toHaveLength(0);
    expect(screen.getByTitle('⟨U+202E⟩evil').tagName).toBe('BDI');
  });

  it('says why a message was not delivered, and sends it again', async () => {
    const user = userEvent.setup();
    answers.messages = [outbound('1', 'hello', { state: 'failed', error: 'connection refused', attempts: 8 })];
    answers.more.set(`POST ${API.resendMessage('1')}`, () => {
      answers.messages = [outbound('1', 'hello', { state: 'queued', attempts: 0 })];
      return json(answers.messages[0]);
    });
    open();
    const [item] = await messages();
    expect(item?.textContent).toContain('Given up after 8 attempts: connection refused');
    await user.click(screen.getByRole('button', { name: 'Send again' }));
    await screen.findByText('Queued');
    expect(screen.queryByText(/connection refused/)).toBeNull();
    expect(document.activeElement).toBe((await messages())[0]);
  });

  it('shows a message as sending during its first attempt, and as retried after a failed one', async () => {
    answers.messages = [
      outbound('2', 'first', { state: 'queued', attempts: 1 }),
      outbound('1', 'second', { state: 'queued', attempts: 1, error: 'connection refused' }),
    ];
    open();
    const [second, first] = await messages();
    expect(first?.textContent).toContain('Sending…');
    expect(first?.textContent).not.toContain('retrying');
    expect(second?.textContent).toContain('Tried once, retrying automatically: connection refused');
  });

  it('shows that the retry failed, and keeps the button', async () => {
    const user = userEvent.setup();
    answers.messages = [outbound('1', 'hello', { state: 'failed', error: 'connection refused' })];
    answers.more.set(`POST ${API.resendMessage('1')}`, () => problem('state_conflict', 409, 'The channel is gone.'));
    open();
    await user.click(await screen.findByRole('button', { name: 'Send again' }));
    expect((await screen.findByRole('alert')).textContent).toBe('The channel is gone.');
    expect(screen.getByRole('button', { name: 'Send again' })).not.toBeNull();
  });

  it('links a reply to the message that it answers', async () => {
    const user = userEvent.setup();
    answers.messages = [outbound('2', 'Sunny', { reply_to: '1' }), messageRecord('1', '/get_weather')];
    open();
    await user.click(await screen.findByRole('button', { name: /^Answers \/get_weather/ }));
    expect(document.activeElement?.textContent).toContain('/get_weather');
  });

  it('links to an old failed message, loading older pages until it is found', async () => {
    const user = userEvent.setup();
    vi.stubGlobal('IntersectionObserver', NothingInSight);
    answers.channels = [{ ...clock, failed: 1 }];
    answers.messages = [
      ...['7', '6', '5', '4', '3'].map((id) => messageRecord(id, `text ${id}`)),
      outbound('2', 'lost', { state: 'failed', error: 'refused' }),
      messageRecord('1', 'first'),
    ];
    open();
    await screen.findByText('text 7');
    expect(screen.queryByText('lost')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Show it' }));
    await waitFor(() => expect(document.activeElement?.textContent).toContain('lost'));
  });

  it('folds a long text', async () => {
    const user = userEvent.setup();
    answers.messages = [messageRecord('1', 'x'.repeat(2_000))];
    open();
    await user.click(await screen.findByRole('button', { name: 'Show all 2,000 characters' }));
    expect(screen.getByRole('button', { name: 'Show less' }).getAttribute('aria-expanded')).toBe('true');
  });

  it('shows that it could not be loaded, and retries', async () => {
    const user = userEvent.setup();
    answers.more.set(`GET ${API.channelMessages('clock')}`, () => problem('internal_error', 500, 'The database is away.'));
    open();
    expect((await screen.findByRole('alert')).textContent).toContain('The database is away.');
    answers.more.clear();
    answers.messages = [messageRecord('1', 'here again')];
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('here again')).not.toBeNull();
  });
});

describe('the composer', () => {
  it('sends with Enter, then clears the text and keeps the recipient', async () => {
    const user = userEvent.setup();
    answers.messages = [messageRecord('1', 'hi')];
    answers.more.set(`POST ${API.sendMessage('clock')}`, () => json(outbound('2', 'Hello'), 202));
    open();
    await user.click(await screen.findByRole('button', { name: 'Write to ada' }));
    const input = screen.getByRole('textbox', { name: 'Message to clock' });
    expect(document.activeElement).toBe(input);
    await user.type(input, 'Hello{Shift>}{Enter}{/Shift}there{Enter}');
    await waitFor(() => expect(input).toHaveProperty('value', ''));
    expect(writes()).toEqual([{ what: `POST ${API.sendMessage('clock')}`, body: { text: 'Hello\nthere', recipient: 'ada' } }]);
    expect(screen.getByLabelText('To')).toHaveProperty('value', 'ada');
  });

  it('keeps the text if sending failed, and says why', async () => {
    const user = userEvent.setup();
    answers.more.set(`POST ${API.sendMessage('clock')}`, () => problem('too_many_calls', 429, 'Too many messages wait.'));
    open();
    const input = await screen.findByRole('textbox', { name: 'Message to clock' });
    await user.type(input, 'Hello{Enter}');
    expect((await screen.findByRole('alert')).textContent).toContain('Too many messages wait.');
    expect(input).toHaveProperty('value', 'Hello');
  });

  it('does not send empty text', async () => {
    const user = userEvent.setup();
    open();
    await user.type(await screen.findByRole('textbox', { name: 'Message to clock' }), '  {Enter}');
    expect(writes()).toEqual([]);
  });
});

describe('the commands', () => {
  it('are switched on immediately', async () => {
    const user = userEvent.setup();
    answers.more.set(`PATCH ${API.channel('clock')}`, () => {
      answers.channels = [{ ...clock, commands: { enabled: true, tools: [] } }];
      return json(answers.channels[0]);
    });
    open();
    await user.click(await screen.findByRole('tab', { name: /^Commands/ }));
    const control = screen.getByRole('switch', { name: 'Run commands' });
    expect(control.getAttribute('aria-checked')).toBe('false');
    await user.click(control);
    await waitFor(() => expect(control.getAttribute('aria-checked')).toBe('true'));
    expect(writes()[0]?.body).toEqual({ commands: { enabled: true } });
    expect(screen.getByText(/No tools allowed yet/)).not.toBeNull();
  });

  it('are limited to the tools that were selected and saved', async () => {
    const user = userEvent.setup();
    answers.more.set(`PATCH ${API.channel('clock')}`, () => problem('admin_token_invalid', 403, 'invalid admin token'));
    open();
    await user.click(await screen.findByRole('tab', { name: /^Commands/ }));
    await user.click(screen.getByRole('radio', { name: 'All non-destructive tools, including new ones' }));
    await user.click(screen.getByRole('button', { name: 'Save tools' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Not saved: invalid admin token');
    expect(writes()[0]?.body).toEqual({ commands: { tools: ['*'] } });
    await user.click(screen.getByRole('tab', { name: 'State' }));
    await user.click(screen.getByRole('tab', { name: /^Commands/ }));
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByRole('radio', { name: 'Selected tools only' })).toHaveProperty('checked', true);
  });
});

it('follows a test message from receipt to the reply, with a link to its call', async () => {
  const user = userEvent.setup();
  const message = messageRecord('m', '/help', { sender: 'tester', injected: true });
  answers.channels = [{ ...clock, commands: { enabled: true, tools: ['*'] } }];
  answers.more.set(`POST ${API.injectMessage('clock')}`, () => {
    answers.messages = [message];
    return json(message, 202);
  });
  open();
  await user.click(await screen.findByRole('tab', { name: 'Test' }));
  await user.type(screen.getByRole('textbox', { name: 'Sender' }), 'tester');
  await user.click(screen.getByRole('button', { name: 'Inject a test message' }));
  const way = await screen.findByRole('list', { name: 'Trace' });
  const steps = () => within(way).getAllByRole('listitem');
  expect(steps().map((step) => step.textContent?.slice(0, 8))).toEqual(['Received', 'Commandr', 'Callnot ', 'Replynot']);
  expect(writes()[0]?.body).toEqual({ text: '/help', sender: 'tester' });

  answers.messages = [outbound('r', 'Tools: none', { reply_to: 'm' }), { ...message, call_id: 'c' }];
  await client.invalidateQueries({ queryKey: queries.messages('clock').queryKey });
  await waitFor(() => expect(steps()[3]?.textContent).toContain('Tools: none'));
  expect(within(way).getByRole('link').getAttribute('href')).toBe('/calls/c');
});

it('reconnects immediately on request', async () => {
  const user = userEvent.setup();
  answers.channels = [{ ...clock, state: 'retrying', reason: 'connection refused', retry_at: '2999-01-01T00:00:00.000Z' }];
  answers.more.set(`POST ${API.retryChannel('clock')}`, () => {
    answers.channels = [clock];
    return json(clock);
  });
  open();
  await user.click(await screen.findByRole('button', { name: 'Retry now' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Retry now' })).toBeNull());
  expect(screen.getAllByText('Connected').length).toBeGreaterThan(0);
});

it('is a chat with the names of people in the dashboard channel', async () => {
  const user = userEvent.setup();
  answers.channels = [{ ...clock, name: 'web', extension: 'core' }];
  answers.more.set(`POST ${API.injectMessage('web')}`, () => json(messageRecord('1', '/help', { channel: 'web' })));
  open('web');
  await user.type(await screen.findByRole('textbox', { name: 'Write a message' }), '/help{Enter}');
  await waitFor(() => expect(writes()).toEqual([{ what: `POST ${API.injectMessage('web')}`, body: { text: '/help' } }]));
  expect(screen.queryByLabelText('To')).toBeNull();
});

it('shows the messages of a removed channel', async () => {
  answers.messages = [messageRecord('1', 'still here')];
  answers.more.set(`GET ${API.channel('clock')}`, () => problem('channel_not_found', 404, 'There is no such channel.'));
  open();
  expect(await screen.findByText('still here')).not.toBeNull();
  expect(screen.getByText('Channel removed')).not.toBeNull();
  expect(screen.queryByRole('textbox')).toBeNull();
});
