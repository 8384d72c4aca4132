import type { ReactNode } from 'react';
import { ExtensionsFrame } from '#components/extensions/ExtensionsFrame.tsx';

export default function ExtensionsLayout({ children }: { children: ReactNode }) {
  return <ExtensionsFrame>{children}</ExtensionsFrame>;
}
