import { expect, test } from 'vitest'
import { nextDueIn } from '../../../src/lib/nextDueIn.ts'

/** The times at which it comes due from an instant on, as UTC. */
function list(cron: string, timezone: string, from: string): string[] {
  const times: number[] = []
  while (times.length < 3) times.push(nextDueIn({ cron, timezone }, times.at(-1) ?? Date.parse(from)))
  return times.map((at) => new Date(at).toISOString().slice(5, 16))
}

test.each([
  ['it does not go back over', '0 3 * * *', 'Europe/Berlin', '2026-10-24', ['01:00', '02:00', '02:00']],
  [
    'that comes twice, at the first',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24',
    ['00:30', '00:30', '01:30'],
  ],
  [
    'that is skipped, as much later',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28',
    ['01:30', '01:30', '00:30'],
  ],
  [
    'half an hour before the jump',
    '0 2 * * *',
    'Australia/Lord_Howe',
    '2026-04-03',
    ['15:00', '15:30', '15:30'],
  ],
  [
    'at midnight, from which it goes back',
    '0 0 * * *',
    'Africa/Cairo',
    '2026-10-28T21:00Z',
    ['22:00', '22:00', '22:00'],
  ],
  ['at the first of two midnights', '0 0 * * *', 'America/Havana', '2026-10-31', ['04:00', '04:00', '05:00']],
  [
    'at a midnight that is skipped',
    '0 0 * * *',
    'America/Santiago',
    '2026-09-05',
    ['04:00', '04:00', '03:00'],
  ],
] as const)('F68: once a day where the clocks change, at a time %s', (_, cron, timezone, from, hours) => {
  expect(list(cron, timezone, from).map((at) => at.slice(6))).toEqual(hours)
})
