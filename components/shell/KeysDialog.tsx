'use client';

import type { ReactNode } from 'react';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { NAV_ITEMS, useFurtherNavItems } from './navigation.ts';
import { PAGE_KEYS } from './Keys.tsx';
import { useOverlay } from './shell-state.ts';

export function KeysDialog() {
  const { open, close } = useOverlay('keys');
  return (
    <Dialog wide open={open} onClose={close} title="Keyboard shortcuts">
      <KeyList />
    </Dialog>
  );
}

function KeyList() {
  const navItems = [...NAV_ITEMS, ...useFurtherNavItems()];
  const mayReview = useMay('failures.review');
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows keyboard scrolling
      tabIndex={0}
      className="gap-8 rounded outline-offset-6 focus-visible:outline-1 focus-visible:outline-line-strong sm:columns-2"
    >
      <Group title="Everywhere">
        <Row keys={['Ctrl or ⌘', 'K']}>Search everything</Row>
        <Row keys={['/']}>Search on this page</Row>
        <Row keys={['Shift', 'Enter']}>New line in a text field</Row>
        <Row keys={['Esc']}>Close a dialog or panel; clear a search</Row>
        <Row keys={['?']}>Show keyboard shortcuts</Row>
      </Group>
      <Group title="Tool">
        <Row keys={['Ctrl or ⌘', 'Enter']}>Run the tool</Row>
        {PAGE_KEYS.map(({ key, words }) => (
          <Row key={key} keys={[key]}>
            {words}
          </Row>
        ))}
        <Row keys={['←', '→']}>Resize form and result, on the separator between them</Row>
      </Group>
      <Group title="Lists">
        <Row keys={['j', 'k']}>Next and previous row</Row>
        <Row keys={['Enter']}>Open the selected row</Row>
      </Group>
      <Group title="Failures">
        {mayReview ? (
          <>
            <Row keys={['a']}>Assign the failure to me</Row>
            <Row keys={['e']}>Acknowledge the failure</Row>
            <Row keys={['i']}>Ignore the failure</Row>
          </>
        ) : null}
        <Row keys={['o']}>Open the source of the failure</Row>
        <Row keys={['Ctrl or ⌘', 'Enter']}>Send the comment</Row>
      </Group>
      <Group title="Pages">
        {navItems.map((navItem) => (
          <Row key={navItem.href} keys={['g', navItem.key]}>
            Go to {navItem.name}
          </Row>
        ))}
      </Group>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="break-inside-avoid pb-4">
      <h3 className="pb-2 text-xs font-medium text-muted">{title}</h3>
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] items-center gap-x-4 gap-y-2 max-sm:grid-cols-[7rem_minmax(0,1fr)]">{children}</dl>
    </section>
  );
}

function Row({ keys, children }: { keys: readonly string[]; children: ReactNode }) {
  return (
    <>
      <dt className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </>
  );
}
