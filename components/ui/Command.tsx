import { Command as Cmdk } from 'cmdk';
import * as Radix from 'radix-ui/dialog';
import type { ComponentProps, ReactNode } from 'react';
import { DialogFrame } from './Dialog.tsx';

/** A list in a dialog near the top of the window; its owner searches it. */
export function CommandDialog({
  open,
  onClose,
  label,
  children,
}: {
  open: boolean;
  onClose: () => void;
  /** Screen readers only. */
  label: string;
  children: ReactNode;
}) {
  return (
    <DialogFrame
      library={Radix}
      open={open}
      onClose={onClose}
      className="fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 animate-rise-in overflow-hidden rounded border bg-raised shadow-overlay"
    >
      <Radix.Title className="sr-only">{label}</Radix.Title>
      <Cmdk label={label} loop shouldFilter={false}>
        {children}
      </Cmdk>
    </DialogFrame>
  );
}

export function CommandInput(props: Omit<ComponentProps<typeof Cmdk.Input>, 'className'>) {
  return <Cmdk.Input {...props} className="h-12 w-full border-b bg-transparent px-4 text-lg outline-none" />;
}

export function CommandList({ children }: { children: ReactNode }) {
  return <Cmdk.List className="max-h-[min(26rem,60dvh)] overflow-y-auto p-1">{children}</Cmdk.List>;
}

export function CommandEmpty({ children }: { children: ReactNode }) {
  return (
    <div role="presentation" className="px-3 py-6 text-center text-muted">
      {children}
    </div>
  );
}

export function CommandGroup({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Cmdk.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Cmdk.Group>
  );
}

export function CommandItem({
  value,
  icon,
  note,
  onSelect,
  children,
}: {
  value: string;
  icon: ReactNode;
  note?: string;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Cmdk.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2 rounded-sm px-3 py-2 data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {note === undefined ? null : <span className="max-w-[40%] truncate text-xs text-muted">{note}</span>}
    </Cmdk.Item>
  );
}
