import { afterEach, expect, test } from 'vitest'
import { parseInstant } from '../../../src/lib/parseInstant.ts'

const zone = process.env['TZ']
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const at = Date.UTC(2026, 2, 8, 6)

test.each([
  ['2026-03-08T06:00:00Z', at],
  ['2026-03-08T06:00', at],
  ['2026-03-08 06:00', at],
  ['2026-03-08 06:00:00 UTC', at],
  ['2026-03-08T06:00:00.250z', at + 250],
  ['2026-03-08T08:00+02:00', at],
  ['2026-03-08T01:00:00-0500', at],
  ['2026-03-08', at - 6 * 3_600_000],
  ['2026-02-30', null],
  ['2026-03-08 25:00', null],
  ['2026-03-08 noon', null],
  ['2026', null],
  ['08.03.2026', null],
  ['', null],
])('%j, whatever zone the machine is in, is %j', (text, expected) => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/New_York']) {
    process.env['TZ'] = name
    expect(parseInstant(text)).toBe(expected)
  }
})
