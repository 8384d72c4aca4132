import Link from 'next/link';
import type { ComponentProps, ReactNode } from 'react';
import { Button, type ButtonLook } from './Button.tsx';
import type { ListLink } from './ListLink.tsx';

interface LinkButtonProps extends Omit<ComponentProps<typeof ListLink>, 'className'>, ButtonLook {
  icon?: ReactNode;
  link?: typeof ListLink | typeof Link;
}

/** A link that looks like a button. */
export function LinkButton({ link: Part = Link, variant, size, className, icon, children, ...rest }: LinkButtonProps) {
  return (
    <Button asChild variant={variant} size={size} className={className}>
      <Part {...rest}>
        {icon}
        {children}
      </Part>
    </Button>
  );
}
