import { CronTime } from 'cron'
import { describe, expect, test } from 'vitest'
import { intervalOf, nextDue } from '../../../../src/kernel/running/schedule.ts'

const from = Date.UTC(2026, 10, 21, 23, 59, 0)

describe('the next tick of a schedule', () => {
  test.each([
    '* * * * * *',
    '*/5 * * * * *',
    '*/30 * * * * *',
    '*/7 * * * * *',
    '*/60 * * * * *',
    '0 * * * * *',
    '0 */2 * * * *',
    '0 */7 * * * *',
    '0 0 * * * *',
    '* * * * *',
    '0 17 * * * *',
  ])('of %s is when cron has it', (expression) => {
    const cron = new CronTime(expression, 'UTC')
    for (const ms of [0, 1, 999, 1_000, 4_999, 5_000, 29_999, 30_000, 55_001, 59_999, 60_000]) {
      const due = cron.getNextDateFrom(new Date(from + ms), 'UTC').toMillis()
      expect(nextDue(expression, from + ms), `${expression} after ${ms}`).toBe(due)
    }
  })

  test('is later than the present one by the distance of the schedule', () => {
    expect(nextDue('*/15 * * * * *', from)).toBe(from + 15_000)
    expect(intervalOf('*/15 * * * * *')).toBe(15_000)
    expect(intervalOf('0 17 * * * *')).toBe(3_600_000)
  })
})
