import { expect, test } from 'vitest'
import { nextDueIn } from '../../../src/lib/nextDueIn.ts'

/** The times at which it comes due from an instant on, as UTC. */
function list(cron: string, timezone: string, from: string): string[] {
  const times: number[] = []
  while (times.length < 3) times.push(nextDueIn({ cron, timezone }, times.at(-1) ?? Date.parse(from)))
  return times.map((at) => new Date(at).toISOString().slice(5, 16))
}

test.each([
  [
    'it does not go back over',
    '0 3 * * *',
    'Europe/Berlin',
    '2026-10-24',
    ['10-24T01:00', '10-25T02:00', '10-26T02:00'],
  ],
  [
    'that comes twice, at the first',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24',
    ['10-24T00:30', '10-25T00:30', '10-26T01:30'],
  ],
  [
    'that is skipped, as much later',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28',
    ['03-28T01:30', '03-29T01:30', '03-30T00:30'],
  ],
  [
    'half an hour before the jump',
    '0 2 * * *',
    'Australia/Lord_Howe',
    '2026-04-03',
    ['04-03T15:00', '04-04T15:30', '04-05T15:30'],
  ],
  [
    'at midnight, from which it goes back',
    '0 0 * * *',
    'Africa/Cairo',
    '2026-10-28T21:00Z',
    ['10-29T22:00', '10-30T22:00', '10-31T22:00'],
  ],
  [
    'at the first of two midnights',
    '0 0 * * *',
    'America/Havana',
    '2026-10-31',
    ['10-31T04:00', '11-01T04:00', '11-02T05:00'],
  ],
  [
    'at a midnight that is skipped',
    '0 0 * * *',
    'America/Santiago',
    '2026-09-05',
    ['09-05T04:00', '09-06T04:00', '09-07T03:00'],
  ],
] as const)('F68: once a day where the clocks change, at a time %s', (_, cron, timezone, from, times) => {
  expect(list(cron, timezone, from)).toEqual(times)
})
