import { LIMITS } from '#lib/contract/limits.ts';
import { describe, expect, it } from 'vitest';
import { CRASHES_A_MINUTE, createCrashBreaker } from './crash-breaker.ts';
import { createCrashBudget } from './supervised-process.ts';

function budgetWithClock(random = 0) {
  const clock = { at: 0 };
  return { clock, budget: createCrashBudget({ elapsed: () => clock.at, random: () => random }) };
}

describe('the crash budget', () => {
  it('waits longer each time and stops restarting at the third exit in five minutes', () => {
    const { clock, budget } = budgetWithClock();
    expect(budget.crash()).toMatchObject({ exhausted: false, waitMs: 500 });
    clock.at += LIMITS.crashWindowMs - 2;
    expect(budget.crash()).toMatchObject({ exhausted: false, waitMs: 1_000 });
    clock.at += 1;
    expect(budget.crash()).toEqual({ exhausted: true });
    expect(budget.isExhausted()).toBe(true);
  });

  it('forgets exits that are five minutes old', () => {
    const { clock, budget } = budgetWithClock();
    for (let crash = 1; crash <= 10; crash += 1) {
      expect(budget.crash()).toMatchObject({ exhausted: false, waitMs: 500 });
      clock.at += LIMITS.crashWindowMs;
    }
    expect(budget.count()).toBe(10);
  });

  it('spreads restarts with jitter', () => {
    expect(budgetWithClock(0.999).budget.crash()).toMatchObject({ exhausted: false, waitMs: 400 });
  });

  it('starts from zero after a reset', () => {
    const { budget } = budgetWithClock();
    for (let crash = 0; crash < 3; crash += 1) budget.crash();
    budget.reset();
    expect(budget.isExhausted()).toBe(false);
    expect(budget.count()).toBe(0);
    expect(budget.crash()).toMatchObject({ exhausted: false, waitMs: 500 });
  });
});

describe('many extensions that crash within a minute', () => {
  it('are restarted with varying delays until crashes are rare again', () => {
    const clock = { at: 0 };
    const breaker = createCrashBreaker(() => clock.at);
    const crash = (random = 0) => createCrashBudget({ elapsed: () => clock.at, random: () => random, breaker }).crash();
    for (let count = 1; count <= CRASHES_A_MINUTE; count += 1) expect(crash()).toEqual({ exhausted: false, waitMs: 500, isHeld: false });
    expect(crash()).toEqual({ exhausted: false, waitMs: 10_000, isHeld: true });
    expect(crash(0.5)).toEqual({ exhausted: false, waitMs: 11_000, isHeld: true });
    clock.at += 60_000;
    expect(crash()).toEqual({ exhausted: false, waitMs: 500, isHeld: false });
  });
});
