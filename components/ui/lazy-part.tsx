import { createElement, lazy, Suspense, useSyncExternalStore } from 'react';
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
