'use client';

import { Clock, Globe, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { MenuChoice, MenuLabel } from '#components/ui/DropdownMenu.tsx';
import { useTimeZone } from '#components/ui/RelativeTime.tsx';
import { ownZone, LOCAL, zoneInWords } from '#components/ui/times.ts';
import { applyTheme, isTheme, shownTheme } from './theme.ts';

const THEME_OPTIONS = [
  { value: 'system', label: 'System', icon: <Monitor /> },
  { value: 'light', label: 'Light', icon: <Sun /> },
  { value: 'dark', label: 'Dark', icon: <Moon /> },
];

export function DisplayChoices() {
  const [theme, setTheme] = useState(shownTheme);
  const { isLocal, setLocal } = useTimeZone();
  return (
    <>
      <MenuLabel>Theme</MenuLabel>
      <MenuChoice
        label="Theme"
        value={theme}
        options={THEME_OPTIONS}
        onChange={(value) => {
          if (!isTheme(value)) return;
          setTheme(value);
          applyTheme(value);
        }}
      />
      <MenuLabel>Times</MenuLabel>
      <MenuChoice
        label="Times"
        value={isLocal ? 'local' : 'utc'}
        options={[
          { value: 'utc', label: 'UTC', icon: <Globe /> },
          { value: 'local', label: <LocalZone />, icon: <Clock /> },
        ]}
        onChange={(value) => setLocal(value === 'local')}
      />
    </>
  );
}

function LocalZone() {
  const [ahead] = useState(() => LOCAL(new Date()));
  return (
    <span>
      Local time
      <span className="block text-xs text-muted">
        {ownZone()}, {zoneInWords(ahead)}
      </span>
    </span>
  );
}
