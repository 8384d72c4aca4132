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
    <Dialog open={open} onClose={close} title="Keyboard shortcuts">
      <KeyList />
    </Dialog>
  );
}

/** Scrolls in a small window. */
function KeyList() {
  const navItems = [...NAV_ITEMS, ...useFurtherNavItems()];
  const mayReview = useMay('failures.review');
  return (
    <dl
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows keyboard scrolling
      tabIndex={0}
      className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2 rounded outline-offset-6 focus-visible:outline-1 focus-visible:outline-line-strong"
    >
      <Row keys={['Ctrl or ⌘', 'K']}>Search tools, extensions, channels, pages and actions</Row>
      <Row keys={['/']}>Search on this page</Row>
      {navItems.map((navItem) => (
        <Row key={navItem.href} keys={['g', navItem.key]}>
          Go to {navItem.name}
        </Row>
      ))}
      <Row keys={['Ctrl or ⌘', 'Enter']}>Run the open tool; send a comment</Row>
      <Row keys={['Shift', 'Enter']}>New line in a text field</Row>
      <Row keys={['←', '→']}>Resize form and result, on the separator between them</Row>
      {PAGE_KEYS.map(({ key, words }) => (
        <Row key={key} keys={[key]}>
          {words}
        </Row>
      ))}
      <Row keys={['j', 'k']}>Next and previous call or failure</Row>
      <Row keys={['Enter']}>Open the selected call or failure</Row>
      {mayReview ? (
        <>
          <Row keys={['a']}>Assign the failure to me</Row>
          <Row keys={['e']}>Acknowledge the failure</Row>
          <Row keys={['i']}>Ignore the failure</Row>
        </>
      ) : null}
      <Row keys={['o']}>Open the source of the failure</Row>
      <Row keys={['Esc']}>Close a dialog or panel; clear a search</Row>
      <Row keys={['?']}>Show keyboard shortcuts</Row>
    </dl>
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
