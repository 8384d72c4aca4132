import type { ElementType } from 'react';
import { Fragment, jsx as createElement, jsxs as createElements } from 'react/jsx-runtime';
import { visibleText } from './visible-text.ts';

/*
 * JSX runtime (`jsxImportSource` in tsconfig.json). React escapes markup; this also makes invisible and bidirectional
 * characters visible in children and the attributes below. Field values stay unchanged, since they are sent. A component that
 * returns a string instead of an element must wrap it in a fragment.
 */
export { Fragment };
export type { JSX } from 'react';

const SPOKEN = ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext'] as const;

export const jsx: typeof createElement = (type, props, key) => createElement(type, withVisibleText(type, props), key);
export const jsxs: typeof createElements = (type, props, key) => createElements(type, withVisibleText(type, props), key);

/** Properties with visible texts; the same object if nothing changed. */
export function withVisibleText(type: ElementType, props: unknown): unknown {
  if (!isProps(props) || type === 'script' || type === 'style') return props;
  const changed: Record<string, unknown> = {};
  for (const name of SPOKEN) {
    const text = props[name];
    const shown = typeof text === 'string' ? visibleText(text) : text;
    if (shown !== text) changed[name] = shown;
  }
  const children = visibleChildren(props['children']);
  if (children !== props['children']) changed['children'] = children;
  return Object.keys(changed).length === 0 ? props : { ...props, ...changed };
}

function isProps(props: unknown): props is Readonly<Record<string, unknown>> {
  return typeof props === 'object' && props !== null;
}

function visibleChildren(children: unknown): unknown {
  if (typeof children === 'string') return visibleText(children);
  if (!Array.isArray(children)) return children;
  const shown = children.map(visibleChildren);
  return shown.some((child, at) => child !== children[at]) ? shown : children;
}
