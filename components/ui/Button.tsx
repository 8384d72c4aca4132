import { cva, type VariantProps } from 'class-variance-authority';
import Link from 'next/link';
import { Slot } from 'radix-ui/slot';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { LoaderCircle } from 'lucide-react';
import { cx } from './cx.ts';
import type { ListLink } from './ListLink.tsx';

const button = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded border font-medium whitespace-nowrap select-none transition-colors ' +
    'disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-default aria-disabled:not-aria-busy:opacity-55 [&_svg]:shrink-0 [&_svg:not([class*=size-])]:size-4 pointer-coarse:min-h-10',
  {
    variants: {
      variant: {
        primary: 'border-transparent bg-accent text-accent-fg hover:bg-accent-hover',
        secondary: 'border-line-strong bg-panel text-fg hover:bg-hover',
        quiet: 'border-transparent bg-transparent text-fg hover:bg-hover',
        danger: 'border-transparent bg-failed-strong text-white hover:brightness-90',
      },
      size: {
        sm: 'h-7 px-2 text-sm',
        md: 'h-8 px-3 text-base',
        lg: 'h-10 px-4 text-base',
      },
    },
    defaultVariants: { variant: 'secondary', size: 'md' },
  },
);

export interface ButtonLook extends VariantProps<typeof button> {
  className?: string | undefined;
}

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'>, ButtonLook {
  /** Renders the single child, such as a link, styled as a button. */
  asChild?: boolean;
  /** Shows a spinner and ignores presses, but keeps the focus (it is not `disabled`). */
  pending?: boolean;
  icon?: ReactNode;
}

export function Button({
  asChild = false,
  pending = false,
  variant,
  size,
  icon,
  className,
  children,
  type,
  onClick,
  ...rest
}: ButtonProps) {
  const classes = cx(button({ variant, size }), className);
  if (asChild) {
    return (
      <Slot className={classes} {...rest}>
        {children}
      </Slot>
    );
  }
  const ignoring = pending || rest['aria-disabled'] === true || rest['aria-disabled'] === 'true';
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- the caller's type, else `button`
      type={type ?? 'button'}
      className={classes}
      aria-busy={pending || undefined}
      aria-disabled={ignoring || undefined}
      {...(ignoring ? { onClick: (event: MouseEvent) => event.preventDefault() } : onClick === undefined ? {} : { onClick })}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  );
}

/** Decorative: the state must be in text beside it. */
export function Spinner({ className }: { className?: string }) {
  return (
    <span className={cx('inline-flex shrink-0', className)}>
      <LoaderCircle className="spinner size-[1em]" />
    </span>
  );
}

interface LinkButtonProps extends Omit<ComponentProps<typeof ListLink>, 'className'>, Omit<ButtonLook, 'className'> {
  icon?: ReactNode;
  link?: typeof ListLink | typeof Link;
}

export function LinkButton({ link: Part = Link, variant, size, icon, children, ...rest }: LinkButtonProps) {
  return (
    <Button asChild variant={variant} size={size}>
      <Part {...rest}>
        {icon}
        {children}
      </Part>
    </Button>
  );
}
