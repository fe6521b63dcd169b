import { describe, expect, test } from 'vitest'
import { smallest, warningsOf } from './loadInMemory.ts'

const warnedOf = (text: string) => warningsOf(`${smallest}${text}\n`)

describe('a report whose cron comes due more often than it is sent', () => {
  test.each([
    ['daily', '* * * * *', 'day'],
    ['daily', '0 8,20 * * *', 'day'],
    ['weekly', '0 8 * * *', 'week'],
    ['weekly', '0 8 * * 1,5', 'week'],
    ['monthly', '0 8 * * 1', 'month'],
  ])('%s "%s"', (name, cron, period) => {
    const text = `reports: { ${name}: { cron: "${cron}", timezone: Europe/Berlin, channel: console } }`
    expect(warnedOf(text).map((warning) => warning.replace(/^2:\d+ /, ''))).toEqual([
      `\`reports.${name}.cron\` comes due more than once a ${period}: the report of a ${period} is sent once, at the first of these times after its end`,
    ])
  })

  test.each([
    ['daily', '0 8 * * *'],
    ['daily', '59 23 * * *'],
    ['daily', '0 8 * * 1-5'],
    ['weekly', '0 8 * * 7'],
    ['weekly', '0 8 1 * *'],
    ['monthly', '0 0 1 * *'],
    ['monthly', '30 8 31 * *'],
  ])('%s "%s" does not', (name, cron) => {
    const text = `reports: { ${name}: { cron: "${cron}", timezone: America/New_York, channel: console } }`
    expect(warnedOf(text)).toEqual([])
  })
})

test.each([
  ['* * * * *', '1m'],
  ['*/10 * * * * *', '10s'],
  ['0,59 9 * * *', '59m'],
])('a canary "%s" sends more than one message an hour', (cron, every) => {
  expect(warnedOf(`canary: { cron: "${cron}" }`)).toEqual([
    `2:17 \`canary.cron\` comes due every ${every}: each time a test message goes to each channel`,
  ])
})

test.each(['0 9 * * *', '0 * * * *'])('a canary "%s" sends at most one an hour', (cron) => {
  expect(warnedOf(`canary: { cron: "${cron}", timezone: Europe/Berlin }`)).toEqual([])
})
