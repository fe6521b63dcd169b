import { fc, timesOf } from '../../support/fastCheck.ts'
import { describe, expect, test } from 'vitest'
import { createMuteTimes, type MuteInterval, type MuteTime } from '../../../src/lib/muteTimes.ts'

const always: MuteInterval = { timezone: 'UTC', weekdays: [0, 1, 2, 3, 4, 5, 6], from: 0, to: 1_440 }
const create = (interval: Partial<MuteInterval>) =>
  createMuteTimes({ mutes: [{ name: 'x', intervals: [{ ...always, ...interval }] }] })
const isMuted = (interval: Partial<MuteInterval>, iso: string) =>
  create(interval).find(Date.parse(iso)) !== null

test.each([
  ['2026-11-20T21:59:59.999Z', false],
  ['2026-11-20T22:00:00Z', true],
  ['2026-11-21T05:59:59.999Z', true],
  ['2026-11-21T06:00:00Z', false],
])('22:00 to 06:00 at %s: %s', (iso, expected) => {
  expect(isMuted({ from: 22 * 60, to: 6 * 60 }, iso)).toBe(expected)
})

test('a night belongs to the day on which it begins', () => {
  const fridayNight = { weekdays: [5], from: 22 * 60, to: 6 * 60 }
  expect(isMuted(fridayNight, '2026-11-20T23:00:00Z')).toBe(true)
  expect(isMuted(fridayNight, '2026-11-21T05:00:00Z')).toBe(true)
  expect(isMuted(fridayNight, '2026-11-20T05:00:00Z')).toBe(false)
  expect(isMuted(fridayNight, '2026-11-21T23:00:00Z')).toBe(false)
})

test('a whole weekend', () => {
  const weekend = { weekdays: [0, 6] }
  expect(isMuted(weekend, '2026-11-20T23:59:59Z')).toBe(false)
  expect(isMuted(weekend, '2026-11-21T00:00:00Z')).toBe(true)
  expect(isMuted(weekend, '2026-11-22T23:59:59Z')).toBe(true)
  expect(isMuted(weekend, '2026-11-23T00:00:00Z')).toBe(false)
})

const berlin = { timezone: 'Europe/Berlin' }

test('F68: on the spring day the clock of the zone counts: 06:00 comes an hour sooner', () => {
  const night = { ...berlin, from: 22 * 60, to: 6 * 60 }
  expect(isMuted(night, '2026-03-28T20:59:59Z')).toBe(false)
  expect(isMuted(night, '2026-03-28T21:00:00Z')).toBe(true)
  expect(isMuted(night, '2026-03-29T03:59:59Z')).toBe(true)
  expect(isMuted(night, '2026-03-29T04:00:00Z')).toBe(false)
})

test('F68: an hour that the spring day skips is not muted', () => {
  const skipped = { ...berlin, from: 2 * 60, to: 3 * 60 }
  expect(isMuted(skipped, '2026-03-29T00:59:59Z')).toBe(false)
  expect(isMuted(skipped, '2026-03-29T01:00:00Z')).toBe(false)
})

test('F68: an hour that the autumn day has twice is muted twice', () => {
  const twice = { ...berlin, from: 2 * 60, to: 3 * 60 }
  expect(isMuted(twice, '2026-10-24T23:59:59Z')).toBe(false)
  expect(isMuted(twice, '2026-10-25T00:00:00Z')).toBe(true)
  expect(isMuted(twice, '2026-10-25T01:59:59Z')).toBe(true)
  expect(isMuted(twice, '2026-10-25T02:00:00Z')).toBe(false)
})

test.each([
  ['2026-11-20T22:30:30Z', '2026-11-21T06:00:00Z'],
  ['2026-11-21T05:59:00Z', '2026-11-21T06:00:00Z'],
])('from %s it holds until %s', (from, until) => {
  expect(create({ from: 22 * 60, to: 6 * 60 }).endOf(Date.parse(from))).toBe(Date.parse(until))
})

test('F68: the end on both days of the change is the one on the wall', () => {
  const night = create({ ...berlin, from: 22 * 60, to: 6 * 60 })
  expect(night.endOf(Date.parse('2026-03-28T22:00:00Z'))).toBe(Date.parse('2026-03-29T04:00:00Z'))
  expect(night.endOf(Date.parse('2026-10-24T22:00:00Z'))).toBe(Date.parse('2026-10-25T05:00:00Z'))
})

test('what holds for ever is asked again after a month', () => {
  const from = Date.parse('2026-11-21T00:00:00Z')
  expect(create({}).endOf(from)).toBe(from + 32 * 86_400_000)
})

const day = (from: number, to = from) => ({ from, to })
const dates = (from: string, to = from) => ({ from, to })

test.each([
  ['the first', [day(1)], ['2026-11-01'], ['2026-10-31', '2026-11-02']],
  ['the first week', [day(1, 7)], ['2026-11-01', '2026-11-07'], ['2026-11-08', '2026-10-31']],
  [
    'the last day',
    [day(-1)],
    ['2026-11-30', '2026-12-31', '2026-02-28', '2028-02-29'],
    ['2028-02-28', '2026-11-29'],
  ],
  [
    'the last three',
    [day(-3, -1)],
    ['2026-02-26', '2028-02-27', '2026-12-29'],
    ['2026-02-25', '2028-02-26', '2026-12-28'],
  ],
  [
    'from the 30th on',
    [day(30, -1)],
    ['2026-11-30', '2026-12-30', '2026-12-31'],
    ['2026-02-28', '2026-11-29'],
  ],
  ['the 31st', [day(31)], ['2026-12-31'], ['2026-11-30', '2026-12-01', '2026-02-28']],
  ['the leap day', [day(29)], ['2028-02-29'], ['2026-02-28', '2026-03-01']],
  [
    'so early from the end that a short month has no such day',
    [day(-31)],
    ['2026-12-01'],
    ['2026-11-01', '2026-02-01'],
  ],
])('of the month %s', (_, daysOfMonth, inside, outside) => {
  const muted = (date: string) => isMuted({ daysOfMonth }, `${date}T12:00:00Z`)
  expect(inside.filter((date) => !muted(date))).toEqual([])
  expect(outside.filter(muted)).toEqual([])
})

test('months, dates, days and weekdays all have to hold', () => {
  const fridays = { weekdays: [5], months: [day(11, 12)], dates: [dates('2026-11-10', '2026-12-10')] }
  expect(isMuted(fridays, '2026-11-20T12:00:00Z')).toBe(true)
  expect(isMuted(fridays, '2026-11-21T12:00:00Z')).toBe(false)
  expect(isMuted(fridays, '2026-11-06T12:00:00Z')).toBe(false)
  expect(isMuted(fridays, '2026-12-11T12:00:00Z')).toBe(false)
  expect(isMuted({ ...fridays, daysOfMonth: [day(1, 7)] }, '2026-12-04T12:00:00Z')).toBe(true)
})

test('a night over the turn of the month belongs to the day on which it begins', () => {
  const lastNight = { daysOfMonth: [day(-1)], from: 22 * 60, to: 6 * 60 }
  expect(isMuted(lastNight, '2028-02-29T21:59:59Z')).toBe(false)
  expect(isMuted(lastNight, '2028-02-29T22:00:00Z')).toBe(true)
  expect(isMuted(lastNight, '2028-03-01T05:59:59Z')).toBe(true)
  expect(isMuted(lastNight, '2028-03-01T06:00:00Z')).toBe(false)
  expect(isMuted({ ...lastNight, months: [day(2)] }, '2028-03-01T05:00:00Z')).toBe(true)
  expect(isMuted({ ...lastNight, dates: [dates('2028-02-29')] }, '2028-03-01T05:00:00Z')).toBe(true)
})

test('a date is one of its zone', () => {
  const christmas = { ...berlin, dates: [dates('2026-12-24', '2026-12-26')] }
  expect(isMuted(christmas, '2026-12-23T22:59:59Z')).toBe(false)
  expect(isMuted(christmas, '2026-12-23T23:00:00Z')).toBe(true)
  expect(isMuted(christmas, '2026-12-26T22:59:59Z')).toBe(true)
  expect(isMuted(christmas, '2026-12-26T23:00:00Z')).toBe(false)
})

test('the end of days is found where it is, and not day by day', () => {
  const holidays = create({ ...berlin, dates: [dates('2026-03-20', '2026-04-10')] })
  const until = Date.parse('2026-04-10T22:00:00Z')
  expect(holidays.endOf(Date.parse('2026-03-21T12:34:56Z'))).toBe(until)
  expect(holidays.endOf(until - 1)).toBe(until)
})

test('with active times a route is quiet outside of them, and in its mute times', () => {
  const office = {
    name: 'office',
    intervals: [{ ...always, ...berlin, weekdays: [1, 2, 3, 4, 5], from: 540, to: 1_020 }],
  }
  const lunch = { name: 'lunch', intervals: [{ ...always, ...berlin, from: 720, to: 780 }] }
  const times = createMuteTimes({ mutes: [lunch], active: [office] })
  const at = (iso: string) => times.find(Date.parse(iso))
  expect(at('2026-11-20T07:59:59Z')).toBe('outside of the active times office')
  expect(at('2026-11-20T08:00:00Z')).toBeNull()
  expect(at('2026-11-20T11:30:00Z')).toBe('mute time lunch')
  expect(at('2026-11-20T16:00:00Z')).toBe('outside of the active times office')
  expect(times.endOf(Date.parse('2026-11-20T16:00:00Z'))).toBe(Date.parse('2026-11-23T08:00:00Z'))
  expect(times.endOf(Date.parse('2026-11-20T11:30:00Z'))).toBe(Date.parse('2026-11-20T12:00:00Z'))
})

describe('held against a model that looks at each minute by another calendar', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'America/St_Johns',
    // Where a day has no midnight, or two; where it is winter in July; where clocks change for a month of the year.
    'America/Havana',
    'Africa/Cairo',
    'America/Santiago',
    'Pacific/Chatham',
    'Africa/Casablanca',
  ]
  /** Around both changes of the clock, a leap day, and the turn of a year. */
  const centres = [
    '2026-03-29',
    '2026-10-25',
    '2028-02-29',
    '2026-12-31',
    '2026-03-08',
    '2026-11-01',
    '2026-04-05',
    '2026-04-24',
    '2026-10-30',
    '2026-09-06',
    '2026-02-15',
    '2026-03-22',
  ]

  const oneOrRange = <T extends number | string>(value: fc.Arbitrary<T>) =>
    fc.tuple(value, value).map(([a, b]) => ({ from: a < b ? a : b, to: a < b ? b : a }))
  const minute = fc.integer({ min: 0, max: 1_440 })
  const interval = fc.record({
    timezone: fc.constantFrom(...zones),
    weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
    daysOfMonth: fc.option(
      fc.array(
        fc.oneof(
          oneOrRange(fc.integer({ min: 1, max: 31 })),
          oneOrRange(fc.integer({ min: -31, max: -1 })),
          fc.record({ from: fc.integer({ min: 1, max: 31 }), to: fc.integer({ min: -31, max: -1 }) }),
        ),
        { minLength: 1, maxLength: 2 },
      ),
    ),
    months: fc.option(fc.array(oneOrRange(fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 2 })),
    dates: fc.option(
      fc.array(
        oneOrRange(fc.constantFrom('2026-03-28', '2026-10-26', '2026-12-31', '2027-01-01', '2028-02-29')),
        {
          minLength: 1,
          maxLength: 2,
        },
      ),
    ),
    from: minute,
    to: minute,
  })
  const time = fc
    .array(interval, { minLength: 1, maxLength: 2 })
    .map((intervals) => ({ name: 'x', intervals }))
  const start = fc
    .tuple(fc.constantFrom(...centres), fc.integer({ min: -3 * 1_440, max: 3 * 1_440 }))
    .map(([centre, minutes]) => Date.parse(`${centre}T00:00:00Z`) + minutes * 60_000)

  const isIn = <T>(ranges: readonly { from: T; to: T }[] | null, value: T, read = (one: T) => one) =>
    ranges === null || ranges.some(({ from, to }) => read(from) <= value && value <= read(to))

  const isDay = (one: MuteInterval, date: Temporal.PlainDate) =>
    one.weekdays.includes(date.dayOfWeek % 7) &&
    isIn(one.months ?? null, date.month) &&
    isIn(one.dates ?? null, date.toString()) &&
    isIn(one.daysOfMonth ?? null, date.day, (n) => (n > 0 ? n : date.daysInMonth + 1 + n))

  const isModelInside = (one: MuteInterval, at: number) => {
    const wall = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(one.timezone)
    const [now, date] = [wall.hour * 60 + wall.minute, wall.toPlainDate()]
    if (one.from < one.to) return isDay(one, date) && one.from <= now && now < one.to
    return (isDay(one, date) && now >= one.from) || (isDay(one, date.subtract({ days: 1 })) && now < one.to)
  }

  const isQuiet = (mutes: readonly MuteTime[], active: readonly MuteTime[], at: number) => {
    const holds = ({ intervals }: MuteTime) => intervals.some((one) => isModelInside(one, at))
    return mutes.some(holds) || (active.length > 0 && !active.some(holds))
  }

  test('it says the same at every instant, and the end is the first minute that is not quiet', () => {
    fc.assert(
      fc.property(
        fc.array(time, { maxLength: 1 }),
        fc.array(time, { maxLength: 1 }),
        start,
        (mutes, active, at) => {
          const times = createMuteTimes({ mutes, active })
          expect(times.find(at) !== null).toBe(isQuiet(mutes, active, at))
          if (times.find(at) === null) return
          const until = times.endOf(at)
          let end = at
          const horizon = at + 5 * 1_440 * 60_000
          while (end < horizon && isQuiet(mutes, active, end)) end += 60_000
          expect(Math.min(until, horizon)).toBe(end)
        },
      ),
      { numRuns: timesOf(150) },
    )
  })
})
