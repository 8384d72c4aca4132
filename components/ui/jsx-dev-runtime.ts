import { jsxDEV as createElement } from 'react/jsx-dev-runtime';
import { withVisibleText } from './jsx-runtime.ts';

/** For development, where React also gets source locations. */
export { Fragment } from './jsx-runtime.ts';
export type { JSX } from 'react';

export const jsxDEV: typeof createElement = (type, props, key, isStatic, source, self) =>
  createElement(type, withVisibleText(type, props), key, isStatic, source, self);
