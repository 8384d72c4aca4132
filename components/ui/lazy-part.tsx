import { createElement, lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ComponentType, ReactNode } from 'react';
import { useBrowserValue } from './browser-value.ts';
import { hydration } from './hydration.ts';

type Load<Props> = () => Promise<ComponentType<Props>>;

/** A lazy component with a placeholder. `next/dynamic` would add 1.5 kB to every page. */
export function lazyPart<Props extends object>(load: Load<Props>, loading: ReactNode = null): ComponentType<Props> {
  const Part: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return function Later(props) {
    const isShown = useRef(false);
    const release = useRef<() => void>(undefined);
    useEffect(() => {
      if (isShown.current) return undefined;
      release.current = hydration.markPending();
      return release.current;
    }, []);
    const onShown = () => {
      isShown.current = true;
      release.current?.();
    };
    return (
      <Suspense fallback={loading}>
        {createElement(Part, props)}
        <Shown onShown={onShown} />
      </Suspense>
    );
  };
}

/** Its effect runs once the enclosing part has hydrated. */
function Shown({ onShown }: { onShown(): void }) {
  useEffect(onShown);
  return null;
}

const isInBrowser = () => true;

export function lazyInBrowser<Props extends object>(load: Load<Props>, loading: ReactNode = null): ComponentType<Props> {
  const Part = lazyPart(load, loading);
  return function InBrowser(props) {
    return useBrowserValue(isInBrowser, false) ? createElement(Part, props) : loading;
  };
}

/** Overlays load their package when first opened. */
export const RADIX = {
  alertDialog: () => import('radix-ui/alert-dialog'),
  dialog: () => import('radix-ui/dialog'),
  dropdownMenu: () => import('radix-ui/dropdown-menu'),
  popover: () => import('radix-ui/popover'),
  tooltip: () => import('radix-ui/tooltip'),
} as const;

/** A component whose package loads when first shown. The enclosing overlay waits for it. */
export function lazyWith<Library, Props extends object>(
  load: () => Promise<Library>,
  Part: ComponentType<Props & { readonly library: Library }>,
): ComponentType<Props> {
  return lazy(async () => {
    const library = await load();
    return { default: (props: Props) => createElement(Part, { ...props, library }) };
  });
}

/** An overlay that loads when first opened and stays mounted, so that it can return the focus when it closes. */
export function lazyOverlay<Library, Props extends { readonly open?: boolean }>(
  load: () => Promise<Library>,
  Part: ComponentType<Props & { readonly library: Library }>,
): ComponentType<Props> {
  const Overlay = lazyWith<Library, Props>(load, Part);
  return function Opened(props) {
    const { open = true } = props;
    const [used, setUsed] = useState(open);
    if (open && !used) setUsed(true);
    return used ? <Suspense fallback={null}>{createElement(Overlay, props)}</Suspense> : null;
  };
}
