import './globals.css';
import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import { preload } from 'react-dom';
import interBasic from './fonts/inter-basic.woff2';
import monoBasic from './fonts/jetbrains-mono-basic.woff2';
import { ServerClock } from '#components/ui/RelativeTime.tsx';
import { readTheme, readZone } from './read-cookies.ts';

export const metadata: Metadata = {
  title: { default: 'Switchboard', template: '%s · Switchboard' },
  description: 'Status, failures and calls of your agents’ extensions.',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#16171b' },
  ],
};

/** Also wraps pages without a session, so it has no server data. It reads cookies, so no page is prerendered. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = await readTheme();
  for (const font of [interBasic, monoBasic]) preload(font, { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' });
  return (
    <html lang="en" {...(theme === 'system' ? {} : { 'data-theme': theme })}>
      <body>
        <ServerClock renderedAt={Date.now()} zone={await readZone()}>
          {children}
        </ServerClock>
      </body>
    </html>
  );
}
