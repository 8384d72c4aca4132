'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import Link from 'next/link';
import { useId, useRef, useState } from 'react';
import { QueryState } from '#components/ui/QueryState.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { Sheet } from '#components/ui/Dialog.tsx';
import { Facts, PageHead } from '#components/ui/Panel.tsx';
import { Note, ReadOnlyNote } from '#components/ui/Note.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateBadge } from '#components/ui/Badge.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import { cx } from '#components/ui/cx.ts';
import { useTextDraft } from '#components/ui/text-drafts.ts';
import { RadioGroup } from '#components/ui/Field.tsx';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { Switch } from '#components/ui/Switch.tsx';
import { useMay, useMayNot } from '#lib/client/SessionProvider.tsx';
import { isApiProblem, messageOf } from '#lib/client/api-problem.ts';
import { useConfigureChannel, useInjectMessage, useSendMessage } from '#lib/client/mutations.ts';
import { useIsShared } from '#lib/client/instance-queries.ts';
import { queries } from '#lib/client/queries.ts';
import { CORE_EXTENSION } from '#lib/contract/states.ts';
import type { Channel, Message } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { ChannelReason, ChannelStateBadge, firstParagraph, kindInWords, queueInWords } from './ChannelState.tsx';
import { RetryButton } from './RetryButton.tsx';
import { Composer, Conversation } from './Conversation.tsx';
import { InjectTest } from './InjectTest.tsx';
import { recentSenders } from './MessageItem.tsx';

/** The built-in chat: messages that people send here are inbound. */
const CHAT = 'web';

/** Fills the window without scrolling; its parts scroll. */
const WINDOW = 'min-h-112 grow basis-0 max-md:-mb-6';

export function ChannelDetail({ name }: { name: string }) {
  const { data: channel, error, refetch, isFetching } = useQuery(queries.channel(name));
  if (isApiProblem(error) && error.status === 404) return <Gone name={name} />;
  if (channel === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the channel" lines={10} />;
  return <Open key={name} channel={channel} />;
}

function Open({ channel }: { channel: Channel }) {
  const [side, setSide] = useSideState();
  const [isOpen, setOpen] = useState(false);
  const about = <ChannelSide channel={channel} state={side} onChange={setSide} />;
  return (
    <div className={cx('flex min-w-0 flex-col gap-3', WINDOW)}>
      <PageHead
        title={<bdi className="break-all">{channel.name}</bdi>}
        badge={<ChannelStateBadge channel={channel} />}
        note={
          <>
            {channel.description === '' ? null : (
              <span dir="auto" title={channel.description} className="foreign line-clamp-2 max-w-5xl">
                <CodeText text={firstParagraph(channel.description).first} />
              </span>
            )}
            <ChannelReason channel={channel} className="line-clamp-2 max-w-prose text-sm xl:hidden" />
          </>
        }
        actions={
          <Button icon={<SlidersHorizontal />} onClick={() => setOpen(true)} className="xl:hidden">
            Details
          </Button>
        }
      />
      <div className="grid min-h-0 min-w-0 flex-1 gap-4 xl:grid-cols-[minmax(0,1fr)_23rem]">
        <ChannelConversation channel={channel} chat={channel.name === CHAT} />
        <aside aria-label="About the channel" className="flex min-h-0 min-w-0 flex-col rounded border bg-panel max-xl:hidden">
          {about}
        </aside>
      </div>
      <Sheet open={isOpen} onClose={() => setOpen(false)} title={channel.name}>
        {isOpen ? <div className="-m-4">{about}</div> : null}
      </Sheet>
    </div>
  );
}

function Gone({ name }: { name: string }) {
  return (
    <div className={cx('flex min-w-0 flex-col gap-3', WINDOW)}>
      <PageHead
        title={<bdi className="break-all">{name}</bdi>}
        badge={<StateBadge state="stopped" word="Channel removed" />}
        note="Its file was removed. Its messages are kept; restore the file to bring it back."
      />
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col rounded border bg-panel">
        <Conversation channel={name} isOwn={isFromHere} notSent={0} sent={0} empty="No messages" />
      </section>
    </div>
  );
}

function isFromHere(message: Message): boolean {
  return (message.direction === 'in') === (message.channel === CHAT);
}

function ChannelConversation({ channel, chat }: { channel: Channel; chat: boolean }) {
  const { data } = useInfiniteQuery(queries.messages(channel.name));
  const send = useSendMessage(channel.name);
  const inject = useInjectMessage(channel.name);
  const mayNot = useMayNot(chat ? 'channels.inject' : 'channels.send');
  const [recipient, setRecipient] = useTextDraft(`recipient:${channel.name}`);
  const [sent, setSent] = useState(0);
  const input = useRef<HTMLTextAreaElement>(null);
  const messages = data?.pages.flatMap((page) => page.messages) ?? [];

  async function write(text: string, to: string) {
    if (chat) await inject.mutateAsync({ text });
    else await send.mutateAsync({ text, ...(to === '' ? {} : { recipient: to }) });
    setSent((count) => count + 1);
  }

  return (
    <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-col rounded border bg-panel">
      <Conversation
        channel={channel.name}
        isOwn={isFromHere}
        notSent={channel.failed}
        sent={sent}
        {...(chat || mayNot !== null
          ? {}
          : {
              onAnswer: (sender: string) => {
                setRecipient(sender);
                input.current?.focus();
              },
            })}
        empty={
          mayNot !== null
            ? 'Messages to this channel appear here automatically.'
            : chat
              ? 'Write the first message below. With commands enabled, the channel answers messages such as /help.'
              : 'Messages appear here automatically. Write below, or inject a test message.'
        }
      />
      {mayNot === null ? (
        <Composer
          key={channel.name}
          ref={input}
          draft={`message:${channel.name}`}
          label={chat ? 'Write a message' : `Message to ${channel.name}`}
          onSend={write}
          recipient={chat ? undefined : { value: recipient, suggestions: recentSenders(messages), onChange: setRecipient }}
          note={chat || channel.state === 'connected' ? null : 'Not connected: your messages are queued.'}
        />
      ) : (
        <ReadOnlyNote className="border-t px-4 py-3">{mayNot}</ReadOnlyNote>
      )}
    </section>
  );
}

interface SideState {
  readonly tab: string;
  readonly draft: readonly string[] | null;
  readonly followed: Message | null;
}

function useSideState() {
  const [state, setState] = useState<SideState>({ tab: 'state', draft: null, followed: null });
  return [state, (change: Partial<SideState>) => setState((before) => ({ ...before, ...change }))] as const;
}

function ChannelSide({ channel, state, onChange }: { channel: Channel; state: SideState; onChange: (change: Partial<SideState>) => void }) {
  const { data } = useQuery(queries.extensions());
  const mayInject = useMay('channels.inject');
  const tabs = [
    { id: 'state', label: 'State', content: <ChannelFacts channel={channel} extensions={data?.extensions ?? []} /> },
    {
      id: 'commands',
      label: 'Commands',
      note: channel.commands.enabled ? 'on' : 'off',
      content: <CommandSettings channel={channel} draft={state.draft} onDraft={(draft) => onChange({ draft })} />,
    },
    ...(mayInject
      ? [
          {
            id: 'test',
            label: 'Test',
            content: <InjectTest channel={channel} followed={state.followed} onInjected={(followed) => onChange({ followed })} />,
          },
        ]
      : []),
  ];
  return (
    <Tabs
      label="About the channel"
      value={state.tab}
      onChange={(tab) => onChange({ tab })}
      tabs={tabs.map((tab) => ({ ...tab, content: <div className="p-4">{tab.content}</div> }))}
      className="min-h-0 flex-1 [&>[role=tabpanel]]:overflow-y-auto"
    />
  );
}

function ChannelFacts({ channel, extensions }: { channel: Channel; extensions: readonly Extension[] }) {
  const core = channel.extension === CORE_EXTENSION;
  const isShared = useIsShared();
  const { rest } = firstParagraph(channel.description);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ChannelReason channel={channel} className="max-h-40 overflow-y-auto text-sm" />
      <div className="flex flex-wrap items-center gap-2 empty:hidden">
        <RetryButton channel={channel} />
      </div>
      {rest === '' ? null : (
        <p dir="auto" className="foreign max-h-60 overflow-y-auto text-sm text-muted">
          <CodeText text={rest} />
        </p>
      )}
      <Facts
        items={[
          { name: 'Queue', value: queueInWords(channel.queued) },
          { name: 'Failed deliveries', value: channel.failed === 0 ? 'None' : channel.failed },
          channel.dropped === 0
            ? null
            : { name: 'Dropped', value: `${channel.dropped} since the server started; they arrived faster than they could be stored` },
          {
            name: 'Last message',
            value: channel.last_message_at === null ? 'None yet' : <RelativeTime time={channel.last_message_at} />,
          },
          isShared && { name: 'Instance', value: <Owner channel={channel} /> },
          { name: 'Kind', value: kindInWords(channel, extensions) },
          core
            ? null
            : {
                name: 'Extension',
                value: (
                  <Link href={PAGES.extension(channel.extension)} className="link break-all">
                    {channel.extension}
                  </Link>
                ),
              },
        ]}
      />
    </div>
  );
}

function Owner({ channel: { name, instance } }: { channel: Channel }) {
  if (instance === null) return name === CHAT ? 'Each instance' : 'None yet';
  return (
    <Link href={PAGES.callsOfInstance(instance)} className="link break-all" title="Calls of this instance">
      <code>{instance}</code>
    </Link>
  );
}

interface CommandSettingsProps {
  channel: Channel;
  /** Null unless edited. Kept by the page, so that it survives tab changes. */
  draft: readonly string[] | null;
  onDraft: (draft: readonly string[] | null) => void;
}

function CommandSettings(props: CommandSettingsProps) {
  const mayNot = useMayNot('channels.configure');
  if (mayNot === null) return <ChangeCommands {...props} />;
  const { enabled, tools } = props.channel.commands;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="font-medium">{enabled ? 'Commands enabled' : 'Commands disabled'}</p>
      {enabled ? (
        <p className="foreign text-sm text-muted">
          Allowed:{' '}
          {tools.length === 0 ? 'no tool yet' : tools.map((name) => (name === '*' ? 'all non-destructive tools' : name)).join(', ')}.
        </p>
      ) : null}
      <ReadOnlyNote>{mayNot}</ReadOnlyNote>
    </div>
  );
}

/** The switch applies at once, the list when saved. */
function ChangeCommands({ channel, draft, onDraft }: CommandSettingsProps) {
  const configure = useConfigureChannel(channel.name);
  const [drafts, setDrafts] = useState(0);
  const id = useId();
  const { enabled, tools } = channel.commands;
  const chosen = draft ?? tools;
  const changed = draft !== null && !(draft.length === tools.length && draft.every((name) => tools.includes(name)));
  const switching = configure.isPending && configure.variables.commands.enabled !== undefined;

  function drop() {
    onDraft(null);
    setDrafts(drafts + 1);
    configure.reset();
  }

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div>
        <Switch
          label="Run commands"
          checked={enabled}
          pending={switching}
          describedBy={id}
          onChange={(next) => configure.mutate({ commands: { enabled: next } })}
        />
        <p id={id} className="text-sm text-muted">
          A message such as <code className="text-xs">/get_weather city=Lisbon</code> calls the tool and replies with the result. Anyone who
          can write here can call the allowed tools; <code className="text-xs">/help</code> lists them.
        </p>
      </div>
      {enabled && tools.length === 0 && draft === null ? <Note tone="degraded">No tools allowed yet. Select tools and save.</Note> : null}
      <ToolChoice key={drafts} value={chosen} onChange={onDraft} />
      {changed ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            variant="primary"
            pending={configure.isPending && !switching}
            onClick={() => configure.mutate({ commands: { tools: [...chosen] } }, { onSuccess: () => onDraft(null) })}
          >
            Save tools
          </Button>
          <Button variant="quiet" onClick={drop}>
            Undo
          </Button>
        </div>
      ) : null}
      {configure.isError ? <ProblemLine>Not saved: {messageOf(configure.error)}</ProblemLine> : null}
    </div>
  );
}

const EVERY_TOOL = '*';

const TOOL_CHOICES = [
  { value: 'all', words: 'All non-destructive tools, including new ones' },
  { value: 'selected', words: 'Selected tools only' },
] as const;

interface ToolChoiceProps {
  /** Names, and `*` for all non-destructive tools. */
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

/** `*` never includes destructive tools: they must be selected by name. */
function ToolChoice({ value, onChange }: ToolChoiceProps) {
  const { data } = useQuery(queries.tools());
  const [named, setNamed] = useState<readonly string[]>(value.filter((name) => name !== EVERY_TOOL));
  const every = value.includes(EVERY_TOOL);
  const tools = data?.tools ?? [];
  const gone = data === undefined ? [] : named.filter((name) => !tools.some((tool) => tool.name === name));
  const rows = [...(every ? tools.filter(isDestructive) : tools).map(rowOf), ...gone.map((name) => ({ name, note: 'unavailable' }))];

  function choose(isEvery: boolean, names: readonly string[]) {
    setNamed(names);
    onChange(isEvery ? [EVERY_TOOL, ...names.filter((name) => !tools.some((tool) => tool.name === name && !isDestructive(tool)))] : names);
  }

  return (
    <RadioGroup
      title="Allowed tools"
      options={TOOL_CHOICES}
      value={every ? 'all' : 'selected'}
      onChange={(choice) => choose(choice === 'all', named)}
    >
      {data?.tools.length === 0 ? <p className="text-sm text-muted">No tools yet</p> : null}
      {rows.length === 0 ? null : (
        <div className="flex min-w-0 flex-col gap-2 pl-6">
          {every ? <p className="text-sm text-muted">Destructive tools:</p> : null}
          <NameChecklist
            label="Tools"
            placeholder="Find a tool"
            nothing="No matching tools"
            rows={rows}
            chosen={named}
            onChange={(names) => choose(every, names)}
          />
        </div>
      )}
    </RadioGroup>
  );
}

function rowOf(tool: ListedTool): { name: string; note: string | null } {
  return { name: tool.name, note: isDestructive(tool) ? 'may delete' : tool.available ? null : 'unavailable' };
}
