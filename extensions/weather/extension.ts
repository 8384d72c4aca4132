import { ToolError } from 'switchboard';
import type { Tool } from 'switchboard';
import { CLIMATES, sampleForecast } from './sample-forecast.ts';

export const DESCRIPTION = 'Sample weather, made up from the name of the city and the date. It needs no network and no key.';

export const INSTRUCTIONS =
  'The figures are invented sample data, the same for the same city and date. Never present them as real weather.';

interface Args {
  city: string;
  units: 'metric' | 'imperial';
  days: number;
  date?: string;
}

export const TOOL: Tool<Args> = {
  label: 'weather',
  name: 'get_weather',
  description:
    'Get a made-up sample forecast for a city. The figures are no real weather: they are computed from the name and the date, for trying things out.',
  parameters: {
    city: { type: 'string', required: true, minLength: 1, maxLength: 100, description: 'Name of the city, for example: Lisbon' },
    units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric', description: 'metric: °C and km/h. imperial: °F and mph.' },
    days: { type: 'integer', default: 1, minimum: 1, maximum: 7, description: 'How many days, from `date` on.' },
    date: { type: 'string', format: 'date', description: 'First day, as 2026-11-21. Today (UTC) when absent.' },
  },
  annotations: { title: 'Sample weather', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  examples: [{ city: 'Lisbon' }, { city: 'Oslo', units: 'imperial', days: 3, date: '2026-01-15' }],

  execute({ city, units, days, date }, ctx) {
    const name = city.trim();
    if (name === '') throw new ToolError('`city` is empty. Name a city, for example: Lisbon', { kind: 'invalid_parameters' });
    const first = date ?? new Date().toISOString().slice(0, 10);
    ctx.log.info(`Computing ${days} day(s) from ${first}`);
    return {
      city: name,
      units: units === 'metric' ? { temperature: '°C', wind: 'km/h' } : { temperature: '°F', wind: 'mph' },
      forecast: sampleForecast(name, first, days, units),
      note: 'Sample data: computed from the name and the date, not measured.',
    };
  },
};

/** Shown live on the extension's page. */
export function status() {
  return { source: 'sample data', needs_network: false, skies: CLIMATES };
}
