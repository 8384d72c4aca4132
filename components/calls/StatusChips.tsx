'use client';

import { CircleX } from 'lucide-react';
import { FilterChip } from '#components/ui/FilterChips.tsx';
import { StateIcon } from '#components/ui/StateBadge.tsx';
import { STATES } from '#components/ui/states.ts';
import { CALL_STATUSES } from '#lib/contract/call-states.ts';
import { showsFailed, toggledStatuses } from './call-filter.ts';
import type { FilterValues } from './call-filter.ts';

export interface StatusChipsProps {
  status: FilterValues['status'];
  onChange: (status: FilterValues['status']) => void;
}

/** The filter by status: any of them, and in one press all that failed. */
export function StatusChips({ status, onChange }: StatusChipsProps) {
  return (
    <div role="group" aria-label="Status" className="flex flex-wrap gap-1">
      {CALL_STATUSES.map((each) => (
        <FilterChip key={each} chosen={status?.includes(each) ?? false} onPress={() => onChange(toggledStatuses(status, each))}>
          <StateIcon state={each} />
          {STATES[each].word}
        </FilterChip>
      ))}
      <FilterChip chosen={showsFailed({ status })} onPress={() => onChange(toggledStatuses(status, 'any_failure'))}>
        <CircleX aria-hidden />
        Any failure
      </FilterChip>
    </div>
  );
}
