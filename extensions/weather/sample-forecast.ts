import { createHash } from 'node:crypto';

export const CLIMATES = ['sunny', 'cloudy', 'rain', 'wind', 'fog', 'snow'] as const;

export interface SampleDay {
  date: string;
  sky: (typeof CLIMATES)[number];
  high: number;
  low: number;
  wind: number;
  rain_chance_percent: number;
}

const DAY_MS = 86_400_000;

/** The same city (in any case), date and units always give the same days. */
export function sampleForecast(city: string, first: string, days: number, units: 'metric' | 'imperial'): SampleDay[] {
  const start = Date.parse(`${first}T00:00:00Z`);
  return Array.from({ length: days }, (_, offset) => sampleDay(city, new Date(start + offset * DAY_MS).toISOString().slice(0, 10), units));
}

function sampleDay(city: string, date: string, units: 'metric' | 'imperial'): SampleDay {
  const place = digits(city.toLowerCase());
  const day = digits(`${city.toLowerCase()} ${date}`);
  // A yearly average for the place, a swing for the season (July is warm everywhere here), and a little for the day.
  const month = Number(date.slice(5, 7));
  const season = Math.cos(((month - 7) / 12) * 2 * Math.PI);
  const low = Math.round(2 + share(place, 0) * 14 + season * (4 + share(place, 1) * 8) + share(day, 0) * 6);
  const high = low + 3 + Math.round(share(day, 1) * 8);
  const rain = Math.round(share(day, 2) * 100);
  const wind = 3 + Math.round(share(day, 3) * 40);
  const sky = skyOf(high, rain, wind, share(day, 4));
  if (units === 'metric') return { date, sky, high, low, wind, rain_chance_percent: rain };
  return {
    date,
    sky,
    high: Math.round(high * 1.8 + 32),
    low: Math.round(low * 1.8 + 32),
    wind: Math.round(wind / 1.609344),
    rain_chance_percent: rain,
  };
}

function skyOf(high: number, rain: number, wind: number, chance: number): SampleDay['sky'] {
  if (rain > 65) return high <= 2 ? 'snow' : 'rain';
  if (wind > 35) return 'wind';
  if (chance < 0.1) return 'fog';
  return rain > 35 ? 'cloudy' : 'sunny';
}

function digits(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Between 0 and 1. */
function share(bytes: Buffer, index: number): number {
  return bytes.readUInt16BE(index * 2) / 0xffff;
}
