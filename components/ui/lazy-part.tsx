import { createElement, lazy, Suspense, useState, useSyncExternalStore } from 'react';
import type { ComponentType, ReactNode } from 'react';

type Load<Props> = () => Promise<ComponentType<Props>>;

/** A part that is loaded when it is first shown, and what stands there until then. `next/dynamic` would be 1.5 kB of every page. */
export function lazyPart<Props extends object>(load: Load<Props>, loading: ReactNode = null): ComponentType<Props> {
  const Part: ComponentType<Props> = lazy(async () => ({ default: await load() }));
  return (props) => <Suspense fallback={loading}>{createElement(Part, props)}</Suspense>;
}

/** The same for a part that the server leaves out. */
export function lazyInBrowser<Props extends object>(load: Load<Props>, loading: ReactNode = null): ComponentType<Props> {
  const Part = lazyPart(load, loading);
  return function InBrowser(props) {
    const isBrowser = useSyncExternalStore(
      () => () => undefined,
      () => true,
      () => false,
    );
    return isBrowser ? createElement(Part, props) : loading;
  };
}

/** What opens over a page is not needed for its first picture. Each loads its package when it first opens. */
export const RADIX = {
  alertDialog: () => import('radix-ui/alert-dialog'),
  dialog: () => import('radix-ui/dialog'),
  dropdownMenu: () => import('radix-ui/dropdown-menu'),
  popover: () => import('radix-ui/popover'),
} as const;

/** A part that is made with a package, which is loaded when the part is first shown. The overlay it stands in waits for it. */
export function lazyWith<Library, Props extends object>(
  load: () => Promise<Library>,
  Part: ComponentType<Props & { readonly library: Library }>,
): ComponentType<Props> {
  return lazy(async () => {
    const library = await load();
    return { default: (props: Props) => createElement(Part, { ...props, library }) };
  });
}

/** What opens over a page: loaded when it first opens, and kept so that it can give the focus back when it closes. */
export function lazyOverlay<Library, Props extends { readonly open: boolean }>(
  load: () => Promise<Library>,
  Part: ComponentType<Props & { readonly library: Library }>,
): ComponentType<Props> {
  const Overlay = lazyWith<Library, Props>(load, Part);
  return function Opened(props) {
    const [used, setUsed] = useState(props.open);
    if (props.open && !used) setUsed(true);
    return used ? <Suspense fallback={null}>{createElement(Overlay, props)}</Suspense> : null;
  };
}
