/** Each unit of a kind as a multiple of the first; temperatures are separate, because their zeros differ. */
const KINDS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  length: { m: 1, mm: 0.001, cm: 0.01, km: 1000, in: 0.0254, ft: 0.3048, yd: 0.9144, mi: 1609.344 },
  weight: { kg: 1, g: 0.001, mg: 1e-6, t: 1000, oz: 0.028349523125, lb: 0.45359237 },
  volume: { l: 1, ml: 0.001, gal: 3.785411784, floz: 0.0295735295625 },
  time: { s: 1, ms: 0.001, min: 60, h: 3600, d: 86_400 },
  data: { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1_048_576, GiB: 1_073_741_824 },
};

const TO_KELVIN: Readonly<Record<string, (value: number) => number>> = {
  K: (value) => value,
  C: (value) => value + 273.15,
  F: (value) => ((value - 32) * 5) / 9 + 273.15,
};
const FROM_KELVIN: Readonly<Record<string, (value: number) => number>> = {
  K: (value) => value,
  C: (value) => value - 273.15,
  F: (value) => ((value - 273.15) * 9) / 5 + 32,
};

export const UNITS: readonly string[] = [...Object.values(KINDS).flatMap((units) => Object.keys(units)), ...Object.keys(TO_KELVIN)];

export type Converted = { readonly ok: true; readonly value: number } | { readonly ok: false; readonly reason: string };

export function convert(value: number, from: string, to: string): Converted {
  const kelvin = TO_KELVIN[from]?.(value);
  const degrees = kelvin === undefined ? undefined : FROM_KELVIN[to]?.(kelvin);
  if (kelvin !== undefined && kelvin < 0) return { ok: false, reason: `${value} ${from} is below absolute zero, the coldest there is.` };
  if (degrees !== undefined) return finite(tidy(degrees));

  const kind = Object.entries(KINDS).find(([, units]) => Object.hasOwn(units, from));
  const source = kind?.[1][from];
  const target = kind?.[1][to];
  if (source !== undefined && target !== undefined) return finite(tidy((value * source) / target));
  const fitting = kind?.[1] ?? TO_KELVIN;
  return {
    ok: false,
    reason: `${from} cannot become ${to}: they measure different things. ${from} goes into ${Object.keys(fitting).join(', ')}.`,
  };
}

function finite(value: number): Converted {
  return Number.isFinite(value)
    ? { ok: true, value }
    : { ok: false, reason: 'The result is beyond 1.8e308, the largest number there is here.' };
}

/** Removes rounding errors after the 14th digit: 0.1 m are 10 cm, not 10.000000000000002. */
function tidy(value: number): number {
  return Number(value.toPrecision(14));
}
